// Runs one phase of one handler in the sandbox and maps its result to the engine's error types.
// Writes nothing to the store.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { PhaseCalls, type BeforeRead, type PhaseName } from '#main/engine/runs/phase-calls.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import type { BoundTools } from '#main/tools/tool-box.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { Entry, LogLine, PhaseResult } from '#main/sandbox/sandbox.ts';
import type { WaitsFor } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import { NO_POLICY, type PolicyInForce } from '#shared/inputs/policy.ts';
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
      readonly waitsFor?: WaitsFor | undefined;
      readonly calls: PhaseCalls;
      readonly logs: readonly LogLine[];
    };

export interface PhaseOptions {
  readonly beforeRead?: BeforeRead;
  readonly policy?: PolicyInForce;
  /** The inputs of the events that the run reserved. */
  readonly inputs?: readonly string[];
}

export async function runPhase(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  runId: string,
  args: readonly Json[],
  { beforeRead, policy = NO_POLICY, inputs = [] }: PhaseOptions = {},
): Promise<PhaseEnd> {
  const { store, sandbox } = context;
  const { workflowId, script, kind, name } = handler;
  const calls = callsOf(context, handler, phase, { beforeRead, policy, inputs });
  const startedAt = store.clock.now();
  const began = performance.now();
  const result = await sandbox.run(
    {
      code: script.code,
      fileName: script.fileName,
      entry: { kind, name, method: phase } as Entry,
      args,
      tools: calls.tools.methods(),
      values: { now: startedAt, seed: `${runId}:${phase}`, runId },
      limits: { cpuMs: policy.limits.phaseCpuMs, wallMs: policy.limits.phaseWallMs },
      prefetched: calls.prefetch(),
      endsWithCalls: phase === 'mutate',
    },
    (hostCalls) => calls.answer(hostCalls),
  );
  const end = endOf(calls, result, store.clock.now());
  const ms = performance.now() - began;
  const isOk = end.type === 'done';
  context.observer?.phase({
    workflowId,
    handlerName: name,
    runId,
    phase,
    startedAt,
    ms,
    isOk,
  });
  return end;
}

function endOf(calls: PhaseCalls, result: PhaseResult, at: number): PhaseEnd {
  const logs = [...result.logs, ...calls.costProblems.map((text) => warning(text, at))];
  if (calls.violation !== undefined) {
    return { type: 'failed', errorType: 'logic', error: calls.violation, calls, logs };
  }
  switch (result.type) {
    case 'returned':
      return { type: 'done', value: result.value, calls, logs };
    case 'stopped':
      return { type: 'done', value: null, calls, logs };
    case 'failed':
      if (result.mayHaveUsedPrefetch) calls.assumePeeked();
      return {
        type: 'failed',
        errorType: result.cause === 'sandbox' ? 'internal' : errorTypeOf(result.errorType),
        error: result.stack || result.message,
        waitsFor: calls.waitsFor,
        calls,
        logs,
      };
  }
}

/** A line of Holdfast in the log of a run. */
export function warning(text: string, at: number): LogLine {
  return { level: 'warn', at, text };
}

function callsOf(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  {
    beforeRead,
    policy,
    inputs,
  }: Required<Omit<PhaseOptions, 'beforeRead'>> & {
    readonly beforeRead: BeforeRead | undefined;
  },
): PhaseCalls {
  const { stores, tools, policies } = context;
  const { uses } = handler.script.config;
  const bind = (frozen: PolicyInForce): BoundTools =>
    tools.bind(handler.workflowId, stores.grants.of(handler.workflowId), uses, frozen.grants);
  const { script, workflowId, kind, name } = handler;
  const consumer = kind === 'consumer' ? script.config.consumers[name] : undefined;
  const producer = kind === 'producer' ? script.config.producers[name] : undefined;
  return new PhaseCalls({
    phase,
    script,
    workflowId,
    subscribes: consumer?.subscribes ?? [],
    publishes: (consumer ?? producer)?.publishes ?? [],
    context,
    tools: bind(policy),
    // The grants of the moment of the read, and the policies of the inputs that it may be for.
    toolsForRead: async (peeked) => {
      const found = await policies.ofPeeked(inputsOfEvents(peeked));
      return found.type === 'unusable' ? found : bind(found.policy);
    },
    inputs,
    maxPublishes: policy.limits.publishes,
    events: stores.events,
    isKnownInput: (id) => stores.triggerEvents.isKnown(id),
    beforeRead,
    onSpent: (tool, microdollars) => context.observer?.spent({ tool, microdollars }),
  });
}

function errorTypeOf(text: string | undefined): ErrorType {
  return ERROR_TYPES.find((type) => type === text) ?? 'logic';
}
