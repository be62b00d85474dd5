// Workflows: name, active version and status.
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { expectMerged, parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { decodeCursor, encodeCursor, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import type { OwnershipStore } from '#main/store/tables/ownership-claims.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import { completesSchema } from '#shared/authoring/handler-config.ts';
import { needsHumanSchema } from '#shared/inputs/needs-human.ts';
import type { Json } from '#shared/json.ts';
import { z } from 'zod';

export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly scriptId: string | null;
  readonly handlerConfig: Json;
  /** An edited version that isn't active yet, and the active version it is based on. */
  readonly draft: { readonly scriptId: string; readonly basedOn: string | null } | null;
  readonly status: 'active' | 'paused';
  readonly statusReason: string | null;
  readonly consumerSleepUntil: number | null;
  readonly createdByDeviceId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type Row = WithJsonText<Workflow, 'handlerConfig' | 'draft'>;

const COLUMNS = `id, name, script_id AS scriptId, handler_config AS handlerConfig, draft, status,
  status_reason AS statusReason, consumer_sleep_until AS consumerSleepUntil,
  created_by_device_id AS createdByDeviceId, created_at AS createdAt, updated_at AS updatedAt`;

/** A version of a newer Holdfast may say more; what this one can't read counts as not said. */
const inputRulesSchema = z.object({
  completes: completesSchema.optional().catch(undefined),
  needsHuman: needsHumanSchema.partial().optional().catch(undefined),
});
export type InputRules = z.output<typeof inputRulesSchema>;

/** The columns that a lane reads before every step. */
export interface WorkflowRunStatus {
  readonly status: string;
  readonly scriptId: string | null;
  /** The earliest time that a consumer asked for. Null: none did. */
  readonly consumerSleepUntil: number | null;
}

export class WorkflowStore extends Store {
  readonly #ownership: OwnershipStore;
  readonly #runStatuses: TableCache<WorkflowRunStatus | undefined>;
  readonly #activeConfigs: TableCache<readonly Json[]>;

  constructor(context: StoreContext, ownership: OwnershipStore) {
    super(context);
    this.#ownership = ownership;
    this.#runStatuses = context.db.cache('workflows');
    this.#activeConfigs = context.db.cache('workflows');
  }

  /** Idempotent by `id`, which the caller chooses. The device that adds it owns it. */
  create(
    id: string,
    definition: { name: string; scriptId: string | null; handlerConfig?: Json },
  ): Workflow {
    const { db, clock, deviceId } = this.context;
    return db.write(() => {
      const now = clock.now();
      const inserted = db.run(
        `INSERT INTO workflows (id, facts, definition, progress) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        id,
        JSON.stringify({ created_at: now, created_by_device_id: deviceId }),
        definitionText(definition),
        JSON.stringify({ status: 'active', updated_at: now }),
      );
      if (inserted === 1) {
        db.changes.record('workflows', id);
        // Another device's claim can arrive before the workflow itself.
        if (this.#ownership.of(id).type === 'nobody') this.#ownership.claim(id, 'added');
      }
      return this.get(id) as Workflow;
    });
  }

  get(id: string): Workflow | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM workflows WHERE id = ?`, id);
    return row && this.refused.read('workflows', id, () => toWorkflow(row));
  }

  runStatus(id: string): WorkflowRunStatus | undefined {
    return this.#runStatuses.get(id, () =>
      this.db.get(
        `SELECT status, script_id AS scriptId, consumer_sleep_until AS consumerSleepUntil
         FROM workflows WHERE id = ?`,
        id,
      ),
    );
  }

  /** The rules of the active version for the ends of its inputs. */
  inputRules(id: string): InputRules {
    const text = this.db.value<string | null>(
      `SELECT json_object('completes', handler_config ->> '$.completes',
         'needsHuman', handler_config -> '$.needsHuman') FROM workflows WHERE id = ?`,
      id,
    );
    const rules = inputRulesSchema.safeParse(typeof text === 'string' ? JSON.parse(text) : {});
    return rules.success ? rules.data : {};
  }

  /** The configurations in the files of the active workflows. */
  activeConfigs(): readonly Json[] {
    return this.#activeConfigs.get('all', () =>
      this.db
        .values<string | null>(`SELECT handler_config FROM workflows WHERE status = 'active'`)
        .flatMap((text) => (text === null ? [] : [JSON.parse(text) as Json])),
    );
  }

  paused(): Workflow[] {
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM workflows WHERE status = 'paused' ORDER BY created_at, id`)
      .flatMap(this.refused.readable('workflows', toWorkflow));
  }

  /** Oldest first. */
  ids(): string[] {
    return this.db.values<string>(`SELECT id FROM workflows ORDER BY created_at`);
  }

  /** Oldest first. */
  named(name: string): Workflow[] {
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM workflows WHERE name = ? ORDER BY created_at, id`, name)
      .flatMap(this.refused.readable('workflows', toWorkflow));
  }

  /** Oldest first. */
  list({ after, limit }: Page): { workflows: Workflow[]; next: string | null } {
    const [createdAt, id] = after === undefined ? [-1, ''] : decodeCursor(after);
    const rows = this.db.all<Row>(
      `SELECT ${COLUMNS} FROM workflows WHERE (created_at, id) > (?, ?)
       ORDER BY created_at, id LIMIT ?`,
      createdAt,
      id,
      limit,
    );
    const workflows = rows.flatMap(this.refused.readable('workflows', toWorkflow));
    return { workflows, next: encodeCursor(rows, limit) };
  }

  /** Activates this version. A draft stops being one. */
  activate(
    id: string,
    definition: { name: string; scriptId: string | null; handlerConfig?: Json },
  ): void {
    this.#update(id, 'definition', definitionText(definition));
    this.setDraft(id, null);
  }

  setDraft(id: string, draft: Workflow['draft']): void {
    const text = draft && JSON.stringify({ script_id: draft.scriptId, based_on: draft.basedOn });
    this.#update(id, 'draft', text);
  }

  setStatus(id: string, status: Workflow['status'], reason?: string): void {
    const progress = { status, reason, updated_at: this.context.clock.now() };
    this.#update(id, 'progress', JSON.stringify(progress));
  }

  #update(id: string, column: 'definition' | 'draft' | 'progress', value: string | null): void {
    this.db.write(() => {
      const changed = this.db.run(
        `UPDATE workflows SET ${column} = ? WHERE id = ? AND ${column} IS NOT ?`,
        value,
        id,
        value,
      );
      if (changed === 1) this.db.changes.record('workflows', id);
    });
  }

  setConsumerSleepUntil(id: string, until: number | null): void {
    this.db.write(() => {
      const changed = this.db.run(
        'UPDATE workflows SET consumer_sleep_until = ? WHERE id = ? AND consumer_sleep_until IS NOT ?',
        until,
        id,
        until,
      );
      if (changed === 1) this.db.changes.record('workflows', id);
    });
  }
}

function definitionText(definition: {
  name: string;
  scriptId: string | null;
  handlerConfig?: Json;
}): string {
  return JSON.stringify({
    name: definition.name,
    script_id: definition.scriptId,
    handler_config: definition.handlerConfig,
  });
}

function toWorkflow(row: Row): Workflow {
  expectMerged(row.name);
  expectMerged(row.status);
  expectMerged(row.createdAt);
  const draft = parseJson<{ script_id: string; based_on: string | null }>(row.draft);
  return {
    ...row,
    handlerConfig: parseJson<Json>(row.handlerConfig),
    draft: draft && { scriptId: draft.script_id, basedOn: draft.based_on },
  };
}
