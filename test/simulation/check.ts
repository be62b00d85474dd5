// What must hold when the devices have told each other everything.
import type { Database } from '#main/store/sqlite/database.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import type { Device } from '#test/simulation/simulated-device.ts';
import type { World } from '#test/simulation/simulated-world.ts';

export interface Truth {
  readonly world: World;
  /** Effects about which a person said something that was not so, or told it to send again. */
  readonly spokenFor: ReadonlySet<string>;
  /** Workflows for which a person forced a second owner. */
  readonly forced: ReadonlySet<string>;
}

export function problemsOf(devices: readonly Device[], truth: Truth): string[] {
  const [first] = devices;
  if (!first) return [];
  return [
    ...divergences(devices),
    ...devices.flatMap((device) => unfinished(device)),
    ...effectsTwice(first, truth),
    ...falseCertainty(first, truth),
  ];
}

export function divergences([first, ...others]: readonly Device[]): string[] {
  return first ? others.flatMap((other) => differences(first, other)) : [];
}

function differences(one: Device, other: Device): string[] {
  const [a, b] = [dumpRows(one.life.db), dumpRows(other.life.db)];
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

export function isAtRest(device: Device): boolean {
  return unfinished(device).length === 0;
}

function unfinished({ name, life: { db } }: Device): string[] {
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

/** Twice only where a person forced it, and then it is shown. */
function effectsTwice({ life: { db } }: Device, truth: Truth): string[] {
  const ids = new Set(truth.world.happened.map(({ effectId }) => effectId));
  return [...ids].flatMap((effectId) => {
    const times = truth.world.timesOf(effectId);
    if (times < 2 || truth.spokenFor.has(effectId)) return [];
    const row = db.get<{ workflow_id: string }>(
      'SELECT workflow_id FROM mutations WHERE idempotency_key = ?',
      effectId,
    );
    if (!row || !truth.forced.has(row.workflow_id)) {
      return [`the effect ${effectId} happened ${times} times, and nobody forced it`];
    }
    return isShown(db, effectId)
      ? []
      : [`the effect ${effectId} happened ${times} times, and no incident tells`];
  });
}

/** As the effect itself, or as the event that two runs did it for. */
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

/** What the ledger says of its own knowledge is so. */
function falseCertainty({ life: { db } }: Device, truth: Truth): string[] {
  const rows = db.all<{ id: string; idempotency_key: string; status: string }>(
    `SELECT id, idempotency_key, status FROM mutations
     WHERE resolved_by IS NULL AND status IN ('applied', 'failed') AND idempotency_key IS NOT NULL`,
  );
  return rows.flatMap(({ id, idempotency_key: effectId, status }) =>
    status === 'applied' && truth.world.timesOf(effectId) === 0
      ? [`the mutation ${id} is applied, but nothing happened`]
      : [],
  );
}
