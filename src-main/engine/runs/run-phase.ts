// Runs one phase of one handler in the sandbox and maps its result to the engine's error types.
// Writes nothing to the store.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { PhaseCalls, type BeforeRead, type PhaseName } from '#main/engine/runs/phase-calls.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { Entry, LogLine, PhaseResult } from '#main/sandbox/sandbox.ts';
import type { Json } from '#shared/json.ts';
import { PHASE_CPU_MS, PHASE_WALL_MS } from '#shared/limits.ts';
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
      readonly retryAfterMs?: number | undefined;
      readonly calls: PhaseCalls;
      readonly logs: readonly LogLine[];
    };

export async function runPhase(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  runId: string,
  args: readonly Json[],
  beforeRead?: BeforeRead,
): Promise<PhaseEnd> {
  const { store, sandbox } = context;
  const { workflowId, script, kind, name } = handler;
  const calls = callsOf(context, handler, phase, beforeRead);
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
      limits: { cpuMs: PHASE_CPU_MS, wallMs: PHASE_WALL_MS },
      prefetched: calls.prefetch(),
      endsWithCalls: phase === 'mutate',
    },
    (hostCalls) => calls.answer(hostCalls),
  );
  const end = endOf(calls, result);
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
      if (result.mayHaveUsedPrefetch) calls.assumePeeked();
      return {
        type: 'failed',
        errorType: result.cause === 'sandbox' ? 'internal' : errorTypeOf(result.errorType),
        error: result.stack || result.message,
        retryAfterMs: calls.retryAfterMs,
        calls,
        logs,
      };
  }
}

function callsOf(
  context: EngineContext,
  handler: HandlerToRun,
  phase: PhaseName,
  beforeRead: BeforeRead | undefined,
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
    beforeRead,
  });
}

function errorTypeOf(text: string | undefined): ErrorType {
  return ERROR_TYPES.find((type) => type === text) ?? 'logic';
}
