// Registers the inputs of a producer run, inside its commit: those that user code registered, and one
// for the slot or manual start itself if the run published events that belong to no input.
import { createHash } from 'node:crypto';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { PhaseCalls } from '#main/engine/runs/phase-calls.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { NewInput } from '#main/store/tables/trigger-events.ts';
import { rfc3339 } from '#shared/clock.ts';
import { PRODUCED, producedKey } from '#shared/inputs/produced.ts';
import type { Json } from '#shared/json.ts';
import type { Trigger } from '#shared/session-enums.ts';

/** Why a producer runs: a slot of its schedule, or a person started it. */
export interface Origin {
  readonly kind: Exclude<Trigger, 'event'>;
  /** Deduplicates: one start is one input. */
  readonly key: string;
  readonly at: number;
}

/** The input of events that were published without one. Undefined if there are none. */
export function registerInputs(
  { inputs }: EngineContext,
  run: HandlerRun,
  calls: PhaseCalls,
  origin: Origin,
): string | undefined {
  for (const found of calls.registered.values()) {
    const { payload, topic = null } = found;
    const facts = {
      workflowId: run.workflowId,
      kind: PRODUCED,
      triggerId: PRODUCED,
      dedupKey: producedKey(found),
      source: found.source,
      type: found.type,
      externalId: found.id,
      title: found.title,
      topic,
    } as const;
    register(inputs, facts, payload);
  }
  if (calls.published.every(({ input }) => input !== undefined)) return undefined;
  const facts = {
    workflowId: run.workflowId,
    kind: origin.kind,
    triggerId: `${PRODUCED}:${run.handlerName}`,
    dedupKey: origin.key,
    source: run.handlerName,
    type: origin.kind,
    externalId: origin.key,
    title: `${run.handlerName} at ${rfc3339(origin.at)}`,
    topic: null,
  } as const;
  return register(inputs, facts, null);
}

function register(
  inputs: EngineContext['inputs'],
  facts: Omit<NewInput, 'redactPaths' | 'bytes' | 'sha256'>,
  payload: Json,
): string {
  const text = JSON.stringify(payload);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const bytes = Buffer.byteLength(text);
  // A slot has no payload.
  const raw = payload === null ? undefined : Buffer.from(text);
  return inputs.register({ ...facts, redactPaths: [], bytes, sha256 }, payload, raw).inputId;
}
