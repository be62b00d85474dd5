// One phase of one handler in the sandbox, and what came of it in the engine's own words.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { PhaseCalls, type PhaseName } from '#main/engine/phase-calls.ts';
import type { RunnableScript } from '#main/engine/script-cache.ts';
import type { Entry, Given, LogLine, PhaseResult } from '#main/sandbox/sandbox.ts';
import type { Json } from '#shared/json.ts';
import { PHASE_CPU_MS, PHASE_MEMORY_BYTES, PHASE_WALL_MS } from '#shared/limits.ts';
import { ERROR_TYPES, type ErrorType } from '#shared/machines/handler-run.ts';

export interface HandlerToRun {
  readonly workflowId: string;
  readonly script: RunnableScript;
  readonly kind: 'producer' | 'consumer';
  readonly name: string;
}

export type PhaseEnd =
  | {
      readonly type: 'done';
      readonly value: Json;
      readonly calls: PhaseCalls;
      readonly logs: readonly LogLine[];
    }
  | {
      readonly type: 'failed';
      readonly errorType: ErrorType;
      readonly error: string;
      readonly calls: PhaseCalls;
      readonly logs: readonly LogLine[];
    };

/** A phase that computes. What came of it, `endPhase` says. */
export interface BegunPhase {
  readonly phase: PhaseName;
  readonly runId: string;
  readonly calls: PhaseCalls;
  readonly result: Promise<PhaseResult>;
  readonly startedAt: number;
  readonly began: number;
}

export function runPhase(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  runId: string,
  args: readonly Json[],
): Promise<PhaseEnd> {
  const calls = callsOf(context, handler, phase);
  return endPhase(context, handler, beginPhase(context, handler, { runId, args, calls }));
}

export function beginPhase(
  { store, sandbox }: EngineContext,
  handler: HandlerToRun,
  begins: {
    readonly runId: string;
    readonly args: readonly Json[];
    readonly calls: PhaseCalls;
    readonly given?: Given;
  },
): BegunPhase {
  const { script, kind, name } = handler;
  const { runId, args, calls } = begins;
  const { phase, tools } = calls;
  const startedAt = store.clock.now();
  const began = performance.now();
  const result = sandbox.run(
    {
      code: script.code,
      fileName: script.fileName,
      entry: { kind, name, method: phase } as Entry,
      args,
      tools: tools.methods(),
      values: { now: startedAt, seed: `${runId}:${phase}`, runId },
      limits: { memoryBytes: PHASE_MEMORY_BYTES, cpuMs: PHASE_CPU_MS, wallMs: PHASE_WALL_MS },
      given: begins.given ?? calls.given(),
      callsEndIt: phase === 'mutate',
    },
    (hostCalls) => calls.answer(hostCalls),
  );
  return { phase, runId, calls, result, startedAt, began };
}

export async function endPhase(
  context: EngineContext,
  { workflowId, name: handlerName }: HandlerToRun,
  { phase, runId, calls, result, startedAt, began }: BegunPhase,
): Promise<PhaseEnd> {
  const end = endOf(calls, await result);
  const ms = performance.now() - began;
  const isOk = end.type === 'done';
  context.observer?.phase({ workflowId, handlerName, runId, phase, startedAt, ms, isOk });
  return end;
}

function endOf(calls: PhaseCalls, result: PhaseResult): PhaseEnd {
  const logs = result.logs;
  if (calls.violation !== undefined) {
    return { type: 'failed', errorType: 'logic', error: calls.violation, calls, logs };
  }
  switch (result.type) {
    case 'returned':
      return { type: 'done', value: result.value, calls, logs };
    case 'stopped':
      return { type: 'done', value: null, calls, logs };
    case 'failed':
      if (result.isSilent) calls.assumePeeked();
      return {
        type: 'failed',
        errorType: result.cause === 'sandbox' ? 'internal' : errorTypeOf(result.errorType),
        error: result.stack || result.message,
        calls,
        logs,
      };
  }
}

export function callsOf(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
): PhaseCalls {
  const { stores, tools } = context;
  const { script, workflowId, kind, name } = handler;
  const consumer = kind === 'consumer' ? script.config.consumers[name] : undefined;
  const producer = kind === 'producer' ? script.config.producers[name] : undefined;
  return new PhaseCalls({
    phase,
    script,
    workflowId,
    subscribes: consumer?.subscribes ?? [],
    publishes: (consumer ?? producer)?.publishes ?? [],
    tools: tools.bind(workflowId, stores.grants.of(workflowId), script.config.uses),
    events: stores.events,
    isKnownInput: (id) => stores.triggerEvents.isKnown(id),
  });
}

function errorTypeOf(text: string | undefined): ErrorType {
  return ERROR_TYPES.find((type) => type === text) ?? 'logic';
}
