// Inputs, with secrets removed. Immutable, one row on every device, until they are archived.
import { Store } from '#main/store/store-context.ts';
import { inputId } from '#shared/ids.ts';
import type { InputKind } from '#shared/inputs/kinds.ts';
import type { Redacted } from '#shared/inputs/redact.ts';
import type { Json } from '#shared/json.ts';

export interface Input {
  readonly id: string;
  readonly workflowId: string;
  readonly kind: InputKind;
  /** Where it came from: a hook, a producer or a person. */
  readonly triggerId: string;
  readonly dedupKey: string;
  readonly source: string;
  readonly type: string;
  readonly externalId: string;
  readonly title: string;
  /** Topic of its first event; null when the producer that registered it publishes events itself. */
  readonly topic: string | null;
  /** Fields to redact besides those that look like secrets. */
  readonly redactPaths: readonly string[];
  /** Paths that were redacted before storing. */
  readonly redacted: readonly Redacted[];
  readonly correlationId: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly deviceId: string;
  readonly createdAt: number;
}

export type NewInput = Omit<
  Input,
  'id' | 'deviceId' | 'createdAt' | 'correlationId' | 'redacted'
> & {
  readonly correlationId?: string | undefined;
};

interface Facts {
  organization_id: string;
  workflow_id: string;
  kind: InputKind;
  trigger_id: string;
  dedup_key: string;
  source: string;
  type: string;
  external_id: string;
  title: string;
  topic?: string;
  redact_paths?: readonly string[];
  redacted?: readonly Redacted[];
  correlation_id: string;
  bytes: number;
  sha256: string;
  device_id: string;
  created_at: number;
}

interface Row {
  id: string;
  facts: string;
}

export class TriggerEventStore extends Store {
  /** The id of an earlier delivery of the same input. */
  find({ workflowId, triggerId, dedupKey }: NewInput): string | null {
    const id = inputId(workflowId, triggerId, dedupKey);
    return this.isKnown(id) ? id : null;
  }

  /** Inserts a new input. Call inside a write. */
  insert(input: NewInput, payload: Json, redacted: readonly Redacted[]): string {
    const { db, clock, deviceId, spaceId } = this.context;
    const id = inputId(input.workflowId, input.triggerId, input.dedupKey);
    const facts: Facts = {
      organization_id: spaceId,
      workflow_id: input.workflowId,
      kind: input.kind,
      trigger_id: input.triggerId,
      dedup_key: input.dedupKey,
      source: input.source,
      type: input.type,
      external_id: input.externalId,
      title: input.title,
      ...(input.topic === null ? {} : { topic: input.topic }),
      ...(input.redactPaths.length === 0 ? {} : { redact_paths: input.redactPaths }),
      ...(redacted.length === 0 ? {} : { redacted }),
      correlation_id: input.correlationId ?? id,
      bytes: input.bytes,
      sha256: input.sha256,
      device_id: deviceId,
      created_at: clock.now(),
    };
    db.run(
      'INSERT INTO trigger_events (id, facts, raw_payload) VALUES (?, ?, ?)',
      id,
      JSON.stringify(facts),
      JSON.stringify(payload),
    );
    db.changes.record('trigger_events', id);
    return id;
  }

  get(id: string): Input | undefined {
    const row = this.db.get<Row>('SELECT id, facts FROM trigger_events WHERE id = ?', id);
    return row && this.refused.read('trigger_events', id, () => toInput(row));
  }

  /** Whether it was ever received. True for archived inputs too, because their keys stay. */
  isKnown(id: string): boolean {
    return this.db.value('SELECT 1 FROM trigger_events__crsql_pks WHERE id = ?', id) !== undefined;
  }

  /** For enrichment only. */
  rawPayload(id: string): Json {
    const text = this.db.value<string>('SELECT raw_payload FROM trigger_events WHERE id = ?', id);
    return text === undefined ? null : (JSON.parse(text) as Json);
  }
}

function toInput({ id, facts: text }: Row): Input {
  const facts = JSON.parse(text) as Facts;
  return {
    id,
    workflowId: facts.workflow_id,
    kind: facts.kind,
    triggerId: facts.trigger_id,
    dedupKey: facts.dedup_key,
    source: facts.source,
    type: facts.type,
    externalId: facts.external_id,
    title: facts.title,
    topic: facts.topic ?? null,
    redactPaths: facts.redact_paths ?? [],
    redacted: facts.redacted ?? [],
    correlationId: facts.correlation_id,
    bytes: facts.bytes,
    sha256: facts.sha256,
    deviceId: facts.device_id,
    createdAt: facts.created_at,
  };
}
