// Records of runs, effects, events and inputs, as plain values for assertions.
import { isUtf8 } from 'node:buffer';
import type { Host } from '#main/host/host.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import type { Json } from '#shared/json.ts';

export interface RunRecord {
  readonly handler: string;
  readonly title: string | null;
  /** `committed`, `failed`, `suspended` … */
  readonly phase: string;
  /** Status of its effect: `applied`, `failed`, `indeterminate` …; null without an effect. */
  readonly effect: string | null;
  readonly error: string | null;
  /** The cost of its reads and its effect, in microdollars: 12300 is $0.0123. */
  readonly cost: number;
}

export interface EffectRecord {
  readonly handler: string;
  /** `http.post` */
  readonly call: string;
  readonly params: Json;
  readonly status: string;
  readonly result: Json;
  readonly error: string | null;
  readonly effectId: string;
  /** In microdollars. */
  readonly cost: number;
}

export interface EventRecord {
  readonly topic: string;
  readonly id: string;
  readonly title: string;
  readonly payload: Json;
  /** `pending`, `reserved`, `consumed`, `skipped` */
  readonly status: string;
}

export interface InputRecord {
  readonly id: string;
  /** `webhook`, `manual`, `schedule` … */
  readonly kind: string;
  readonly source: string;
  readonly title: string;
  /** As the workflow received it, after redaction. */
  readonly payload: Json;
  /** `succeeded`, `needs_human`, `failed` … */
  readonly status: string;
  readonly reason: string | null;
  /** The value of `ctx.complete`, or the default completion. */
  readonly result: Json;
  /** Names of applied effects, sorted, because effects of one instant have no order. */
  readonly effects: readonly string[];
  /** The cost of all its runs, in microdollars. */
  readonly cost: number;
  /** The artifacts that handlers wrote and people attached, oldest first. */
  readonly artifacts: readonly ArtifactRecord[];
}

export interface ArtifactRecord {
  readonly name: string;
  readonly type: string;
  /** Undefined if the content is not text. */
  readonly text: string | undefined;
  readonly base64: string;
}

export function toInputRecord(
  input: InputDetail,
  artifacts: readonly ArtifactRecord[],
): InputRecord {
  const { id, kind, source, title, payload, run, completion, sideEffects, cost } = input;
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
    cost,
    artifacts,
  };
}

export function toArtifactRecord(name: string, type: string, base64: string): ArtifactRecord {
  const content = Buffer.from(base64, 'base64');
  return { name, type, text: isUtf8(content) ? content.toString('utf8') : undefined, base64 };
}

export function toRunRecord(run: HandlerRunDetail): RunRecord {
  const { handlerName: handler, title, phase, effect, error, cost } = run;
  return { handler, title, phase, effect, error, cost };
}

export function toEffectRecords({ handlerName, mutation }: HandlerRunDetail): EffectRecord[] {
  if (!mutation) return [];
  const { tool, method, params, status, result, error, effectId, cost } = mutation;
  const call = `${tool}.${method}`;
  return [{ handler: handlerName, call, params, status, result, error, effectId, cost }];
}

export function listEvents(
  { stores }: Host,
  workflowId: string,
  topicName?: string,
): EventRecord[] {
  const topics = stores.topics
    .list(workflowId)
    .filter(({ name }) => topicName === undefined || name === topicName);
  return topics.flatMap(({ id: topicId, name: topic }) =>
    // One page is more than a test publishes. Rows are newest first.
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
