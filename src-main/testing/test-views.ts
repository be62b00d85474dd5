// What a test sees of a workflow: plain values, for the assertions of any test runner.
import type { Host } from '#main/host/host.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import type { Json } from '#shared/json.ts';

export interface RunSeen {
  readonly handler: string;
  readonly title: string | null;
  /** `committed`, `failed`, `suspended` … */
  readonly phase: string;
  /** Of its effect: `applied`, `failed`, `indeterminate` …; null where it made none. */
  readonly effect: string | null;
  readonly error: string | null;
}

export interface EffectSeen {
  readonly handler: string;
  /** `http.post` */
  readonly call: string;
  readonly params: Json;
  readonly status: string;
  readonly result: Json;
  readonly error: string | null;
  readonly effectId: string;
}

export interface EventSeen {
  readonly topic: string;
  readonly id: string;
  readonly title: string;
  readonly payload: Json;
  /** `pending`, `reserved`, `consumed`, `skipped` */
  readonly status: string;
}

export interface InputSeen {
  readonly id: string;
  /** `webhook`, `manual`, `schedule` … */
  readonly kind: string;
  readonly source: string;
  readonly title: string;
  /** As the workflow got it: without what looks like a secret. */
  readonly payload: Json;
  /** `succeeded`, `needs_human`, `failed` … */
  readonly status: string;
  readonly reason: string | null;
  /** What `ctx.complete` said, or what is said in its stead. */
  readonly result: Json;
  /** Calls under it that are known to have happened, by name: of one instant they have no order. */
  readonly effects: readonly string[];
}

export function toInputSeen(input: InputDetail): InputSeen {
  const { id, kind, source, title, payload, run, completion, sideEffects } = input;
  return {
    id,
    kind,
    source,
    title,
    payload,
    status: run.status,
    reason: run.statusReason,
    result: completion,
    effects: sideEffects.map((effect) => effect.kind).toSorted(),
  };
}

export function toRunSeen(run: HandlerRunDetail): RunSeen {
  const { handlerName: handler, title, phase, effect, error } = run;
  return { handler, title, phase, effect, error };
}

export function toEffectSeen({ handlerName, mutation }: HandlerRunDetail): EffectSeen[] {
  if (!mutation) return [];
  const { tool, method, params, status, result, error, effectId } = mutation;
  return [
    { handler: handlerName, call: `${tool}.${method}`, params, status, result, error, effectId },
  ];
}

export function eventsSeen({ stores }: Host, workflowId: string, topicName?: string): EventSeen[] {
  const topics = stores.topics
    .list(workflowId)
    .filter(({ name }) => topicName === undefined || name === topicName);
  return topics.flatMap(({ id: topicId, name: topic }) =>
    // A page is more than a test publishes; the newest come first.
    stores.events
      .list({ topicId, limit: 200 })
      .events.toReversed()
      .map(({ messageId: id, title, payload, state }) => ({
        topic,
        id,
        title,
        payload,
        status: state.status,
      })),
  );
}
