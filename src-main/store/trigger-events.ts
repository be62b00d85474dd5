// What came in, as it came: never changed, one row on every device, until it leaves for the archive.
import type { StoreContext } from '#main/store/store-context.ts';
import { inputId } from '#shared/ids.ts';
import type { InputKind } from '#shared/inputs/kinds.ts';
import type { Json } from '#shared/json.ts';

export interface Input {
  readonly id: string;
  readonly workflowId: string;
  readonly kind: InputKind;
  /** The door that it came by: a hook, a producer, a hand. */
  readonly triggerId: string;
  readonly dedupKey: string;
  readonly source: string;
  readonly type: string;
  readonly externalId: string;
  readonly title: string;
  /** Where its first event goes; null: whoever registered it publishes by itself. */
  readonly topic: string | null;
  /** What is taken out of it besides what looks like a secret. */
  readonly redactPaths: readonly string[];
  readonly correlationId: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly deviceId: string;
  readonly createdAt: number;
}

export type NewInput = Omit<Input, 'id' | 'deviceId' | 'createdAt' | 'correlationId'> & {
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

export class TriggerEventStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** False: it is there already, and stays as it is. To be called inside a write. */
  insert(input: NewInput, rawPayload: string): { readonly id: string; readonly isNew: boolean } {
    const { db, clock, deviceId, spaceId } = this.#context;
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
      correlation_id: input.correlationId ?? id,
      bytes: input.bytes,
      sha256: input.sha256,
      device_id: deviceId,
      created_at: clock.now(),
    };
    const inserted = db.run(
      `INSERT INTO trigger_events (id, facts, raw_payload) VALUES (?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      id,
      JSON.stringify(facts),
      rawPayload,
    );
    if (inserted === 1) db.changes.note('trigger_events', id);
    return { id, isNew: inserted === 1 };
  }

  get(id: string): Input | undefined {
    const row = this.#context.db.get<Row>('SELECT id, facts FROM trigger_events WHERE id = ?', id);
    return row && toInput(row);
  }

  /** Whether it ever came in, also where it is in the archive by now: its key stays. */
  isKnown(id: string): boolean {
    const { db } = this.#context;
    return db.value('SELECT 1 FROM trigger_events__crsql_pks WHERE id = ?', id) !== undefined;
  }

  /** As it came in: for enrichment, and for nobody else. */
  rawPayload(id: string): Json {
    const text = this.#context.db.value<string>(
      'SELECT raw_payload FROM trigger_events WHERE id = ?',
      id,
    );
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
    correlationId: facts.correlation_id,
    bytes: facts.bytes,
    sha256: facts.sha256,
    deviceId: facts.device_id,
    createdAt: facts.created_at,
  };
}
