// Checks the promises after the devices have exchanged all changes.
import type { Database } from '#main/store/sqlite/database.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import type { Device } from '#test/simulation/simulated-device.ts';
import type { World } from '#test/simulation/simulated-world.ts';

export interface Truth {
  readonly world: World;
  /** Effects about which a person stated something false, or which a person sent again. */
  readonly misstated: ReadonlySet<string>;
  /** Workflows for which a person forced a second owner. */
  readonly forced: ReadonlySet<string>;
  /** Ids of the events whose publish was acknowledged. */
  readonly published: ReadonlySet<string>;
}

export function problemsOf(devices: readonly Device[], truth: Truth): string[] {
  const [first] = devices;
  if (!first) return [];
  return [
    ...divergences(devices),
    ...devices.flatMap((device) => openWork(device)),
    ...lostEvents(first, truth),
    ...repeatedEffects(first, truth),
    ...untrueOutcomes(first, truth),
    ...unrecordedEffects(first, truth),
  ];
}

export function divergences([first, ...others]: readonly Device[]): string[] {
  return first ? others.flatMap((other) => differences(first, other)) : [];
}

function differences(one: Device, other: Device): string[] {
  const [a, b] = [dumpRows(one.running.db), dumpRows(other.running.db)];
  return Object.keys(a).flatMap((table) => {
    const [left, right] = [a[table] ?? [], b[table] ?? []].map((rows) =>
      rows.map((row) => JSON.stringify(row)),
    );
    const missing = left?.filter((row) => !right?.includes(row)) ?? [];
    const extra = right?.filter((row) => !left?.includes(row)) ?? [];
    if (missing.length + extra.length === 0) return [];
    return [
      `${table} differs between ${one.name} and ${other.name}: ${missing[0] ?? '-'} against ${extra[0] ?? '-'}`,
    ];
  });
}

export function hasNoOpenWork(device: Device): boolean {
  return openWork(device).length === 0;
}

function openWork({ name, running: { db } }: Device): string[] {
  const open = db.all<{ what: string }>(
    `SELECT 'run ' || id || ' is ' || phase AS what FROM handler_runs
       WHERE phase NOT IN ('committed', 'failed')
     UNION ALL SELECT 'event ' || message_id || ' is ' || status FROM events e
       WHERE status NOT IN ('consumed', 'skipped')
         AND EXISTS (SELECT 1 FROM topics t WHERE t.id = e.topic_id AND t.name = 'in')
     UNION ALL SELECT 'mutation ' || id || ' is ' || status FROM mutations
       WHERE status IN ('in_flight', 'needs_reconcile', 'pending')
     UNION ALL SELECT 'intent ' || id || ' waits' FROM intents WHERE status = 'waiting'
     UNION ALL SELECT 'resolution ' || id || ' waits' FROM resolutions WHERE status = 'waiting'`,
  );
  return open.map(({ what }) => `${name}: ${what}`);
}

function lostEvents({ running: { db } }: Device, { published }: Truth): string[] {
  return [...published]
    .filter((id) => db.get('SELECT 1 FROM events WHERE id = ?', id) === undefined)
    .map((id) => `the published event ${id} is lost`);
}

/** An effect may happen twice only if a person forced two owners, and then an incident shows it. */
function repeatedEffects({ running: { db } }: Device, truth: Truth): string[] {
  const ids = new Set(truth.world.happened.map(({ effectId }) => effectId));
  return [...ids].flatMap((effectId) => {
    const times = truth.world.timesOf(effectId);
    if (times < 2 || truth.misstated.has(effectId)) return [];
    const row = db.get<{ workflow_id: string }>(
      'SELECT workflow_id FROM mutations WHERE idempotency_key = ?',
      effectId,
    );
    if (!row || !truth.forced.has(row.workflow_id)) {
      return [`the effect ${effectId} happened ${times} times, and no person forced it`];
    }
    return isShown(db, effectId)
      ? []
      : [`the effect ${effectId} happened ${times} times, and no incident shows it`];
  });
}

/** An incident may be about the effect or about the event that two runs handled. */
function isShown(db: Database, effectId: string): boolean {
  const shown = db.get(
    `SELECT 1 FROM incidents WHERE about = ?
     UNION ALL SELECT 1 FROM incidents i
       JOIN mutations m ON m.idempotency_key = ?
       JOIN reservations r ON r.handler_run_id = m.handler_run_id
       WHERE i.about = r.event_id || ':' || r.attempt_number`,
    effectId,
    effectId,
  );
  return shown !== undefined;
}

interface LedgerRow {
  readonly id: string;
  readonly effectId: string;
  /** The status that counts. */
  readonly status: string;
  /** The status that the sender wrote. */
  readonly made: string;
}

/**
 * Rows that say something false. A row is applied only if the effect happened; it is failed or pending only
 * if none of its own sends made the effect happen, because a later attempt may have. What a person stated
 * falsely or sent again is not the ledger's fault.
 */
function untrueOutcomes({ running: { db } }: Device, truth: Truth): string[] {
  const rows = db.all<LedgerRow>(
    `SELECT id, idempotency_key AS effectId, status, outcome ->> '$.status' AS made FROM mutations
     WHERE idempotency_key IS NOT NULL`,
  );
  const acted = new Set(truth.world.happened.map(({ mutationId }) => mutationId));
  return rows
    .filter(({ effectId }) => !truth.misstated.has(effectId))
    .flatMap(({ id, effectId, status, made }) => {
      const said = [status, made];
      const isFalselyApplied = said.includes('applied') && truth.world.timesOf(effectId) === 0;
      const untrue = said.find((one) => one === 'failed' || one === 'pending');
      return [
        ...(isFalselyApplied
          ? [`the mutation ${id} is applied, but its effect never happened`]
          : []),
        ...(untrue !== undefined && acted.has(id)
          ? [`the mutation ${id} is ${untrue}, but its effect happened`]
          : []),
      ];
    });
}

/** Effects that happened without a row that was in flight. */
function unrecordedEffects({ running: { db } }: Device, { world }: Truth): string[] {
  return world.happened
    .filter(
      ({ mutationId }) => db.get('SELECT 1 FROM mutations WHERE id = ?', mutationId) === undefined,
    )
    .map(
      ({ effectId, device }) => `${device} made the effect ${effectId} without a row in the ledger`,
    );
}
