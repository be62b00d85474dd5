// Webhook endpoints of this device. Their secrets are in the secret store.
import type { WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { whereGiven } from '#main/store/sqlite/where.ts';
import { Store } from '#main/store/store-context.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import type { HookAuth } from '#shared/inputs/hook.ts';
import { proofsNeededSince } from '#shared/inputs/replay-window.ts';

export interface Hook {
  readonly id: string;
  readonly name: string;
  readonly workflowId: string;
  readonly topic: string;
  readonly auth: HookAuth;
  readonly dedup: DedupRule;
  readonly redactPaths: readonly string[];
  readonly createdAt: number;
  readonly rotatedAt: number | null;
  readonly previousUntil: number | null;
  readonly accepted: number;
  readonly lastAcceptedAt: number | null;
}

export type NewHook = Omit<
  Hook,
  'createdAt' | 'rotatedAt' | 'previousUntil' | 'accepted' | 'lastAcceptedAt'
>;

type Row = WithJsonText<Hook, 'auth' | 'dedup' | 'redactPaths'>;

const COLUMNS = `id, name, workflow_id AS workflowId, topic, auth, dedup, redact_paths AS redactPaths,
  created_at AS createdAt, rotated_at AS rotatedAt, previous_until AS previousUntil, accepted,
  last_accepted_at AS lastAcceptedAt`;

export class HookStore extends Store {
  /** Idempotent by request id: a repeated request returns the hook that was created first. */
  add(requestId: string, hook: NewHook): Hook {
    const { db, clock } = this.context;
    return db.write(() => {
      db.run(
        `INSERT INTO hooks (id, name, workflow_id, topic, auth, dedup, redact_paths, request_id,
           created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (request_id) DO NOTHING`,
        hook.id,
        hook.name,
        hook.workflowId,
        hook.topic,
        JSON.stringify(hook.auth),
        JSON.stringify(hook.dedup),
        JSON.stringify(hook.redactPaths),
        requestId,
        clock.now(),
      );
      const made = this.ofRequest(requestId) as Hook;
      db.changes.record('hooks', made.id);
      return made;
    });
  }

  get(id: string): Hook | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM hooks WHERE id = ?`, id);
    return row && toHook(row);
  }

  ofRequest(requestId: string): Hook | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM hooks WHERE request_id = ?`, requestId);
    return row && toHook(row);
  }

  list(workflowId?: string): Hook[] {
    const { where, params } = whereGiven([['workflow_id = ?', workflowId]]);
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM hooks ${where} ORDER BY created_at, id`, ...params)
      .map(toHook);
  }

  /** Records that the secret was rotated. */
  rotated(id: string, previousUntil: number | null): void {
    const { db, clock } = this.context;
    db.write(() => {
      const now = clock.now();
      db.run(
        'UPDATE hooks SET rotated_at = ?, previous_until = ? WHERE id = ?',
        now,
        previousUntil,
        id,
      );
      db.changes.record('hooks', id);
    });
  }

  remove(id: string): void {
    this.db.write(() => {
      this.db.run('DELETE FROM hook_proofs WHERE hook_id = ?', id);
      this.db.run('DELETE FROM hooks WHERE id = ?', id);
      this.db.changes.record('hooks', id);
    });
  }

  /** Counts a new input, inside the write that saves it. False: the hook was removed. */
  count(id: string): boolean {
    const { db, clock } = this.context;
    const counted = db.run(
      'UPDATE hooks SET accepted = accepted + 1, last_accepted_at = ? WHERE id = ?',
      clock.now(),
      id,
    );
    return counted === 1;
  }

  /** Deletes signatures outside the replay window. Returns the number of rows. */
  forgetProofs(): number {
    const { db, clock } = this.context;
    return this.list().reduce((sum, hook) => {
      const before = proofsNeededSince(hook, clock.now());
      if (before === null) return sum;
      const sql = 'DELETE FROM hook_proofs WHERE hook_id = ? AND taken_at < ?';
      return sum + db.write(() => db.run(sql, hook.id, before));
    }, 0);
  }

  /** The input that was created from the same signed bytes. Records `inputId` when there is none. */
  inputOfProof(id: string, proof: string, inputId: string): string {
    const { db, clock } = this.context;
    const known = db.value<string>(
      'SELECT trigger_event_id FROM hook_proofs WHERE hook_id = ? AND proof = ?',
      id,
      proof,
    );
    if (known !== undefined) return known;
    db.run(
      'INSERT INTO hook_proofs (hook_id, proof, trigger_event_id, taken_at) VALUES (?, ?, ?, ?)',
      id,
      proof,
      inputId,
      clock.now(),
    );
    return inputId;
  }
}

function toHook(row: Row): Hook {
  return {
    ...row,
    auth: JSON.parse(row.auth) as HookAuth,
    dedup: JSON.parse(row.dedup) as DedupRule,
    redactPaths: JSON.parse(row.redactPaths) as string[],
  };
}
