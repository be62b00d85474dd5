// One phase of one handler in the sandbox, and what came of it in the engine's own words.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { PhaseCalls, type PhaseName } from '#main/engine/phase-calls.ts';
import type { RunnableScript } from '#main/engine/script-cache.ts';
import type { Entry, LogLine } from '#main/sandbox/sandbox.ts';
import type { BoundTools } from '#main/tools/tool-box.ts';
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

export async function runPhase(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  runId: string,
  args: readonly Json[],
): Promise<PhaseEnd> {
  const { workflowId, name: handlerName } = handler;
  const startedAt = context.store.clock.now();
  const began = performance.now();
  const end = await compute(context, handler, phase, runId, args);
  const ms = performance.now() - began;
  const isOk = end.type === 'done';
  context.observer?.phase({ workflowId, handlerName, runId, phase, startedAt, ms, isOk });
  return end;
}

async function compute(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  runId: string,
  args: readonly Json[],
): Promise<PhaseEnd> {
  const { stores, store, sandbox } = context;
  const { script, workflowId, kind, name } = handler;
  const tools = toolsOf(context, handler);
  const consumer = kind === 'consumer' ? script.config.consumers[name] : undefined;
  const producer = kind === 'producer' ? script.config.producers[name] : undefined;
  const calls = new PhaseCalls({
    phase,
    script,
    workflowId,
    subscribes: consumer?.subscribes ?? [],
    publishes: (consumer ?? producer)?.publishes ?? [],
    tools,
    events: stores.events,
    isKnownInput: (id) => stores.triggerEvents.isKnown(id),
  });
  const result = await sandbox.run(
    {
      code: script.code,
      fileName: script.fileName,
      entry: { kind, name, method: phase } as Entry,
      args,
      tools: tools.methods(),
      values: { now: store.clock.now(), seed: `${runId}:${phase}`, runId },
      limits: { memoryBytes: PHASE_MEMORY_BYTES, cpuMs: PHASE_CPU_MS, wallMs: PHASE_WALL_MS },
      given: calls.given(),
      callsEndIt: phase === 'mutate',
    },
    (hostCalls) => calls.answer(hostCalls),
  );
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

/** For all phases of a run; the effect itself asks anew what is granted. */
const bound = new WeakMap<HandlerToRun, BoundTools>();

function toolsOf({ tools, stores }: EngineContext, handler: HandlerToRun): BoundTools {
  const { workflowId, script } = handler;
  const known = bound.get(handler);
  if (known) return known;
  const made = tools.bind(workflowId, stores.grants.of(workflowId), script.config.uses);
  bound.set(handler, made);
  return made;
}

function errorTypeOf(text: string | undefined): ErrorType {
  return ERROR_TYPES.find((type) => type === text) ?? 'logic';
}
