// Checks the promises after the devices have exchanged all changes.
import type { Database } from '#main/store/sqlite/database.ts';
import { isRestoredReason } from '#shared/restored-reason.ts';
import { PERSONS_REASON, type Statement } from '#test/simulation/people.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { refusedByShapes } from '#test/support/refused-by-shapes.ts';
import type { Device } from '#test/simulation/simulated-device.ts';
import type { Happened, World } from '#test/simulation/simulated-world.ts';

export interface Truth {
  readonly world: World;
  /** What people stated about an effect. */
  readonly statements: ReadonlyMap<string, ReadonlySet<Statement>>;
  /** Workflows for which a person forced a second owner. */
  readonly forced: ReadonlySet<string>;
  /** Ids of the events whose publish was acknowledged. */
  readonly published: ReadonlySet<string>;
  readonly wentBack: readonly WentBack[];
}

/** A device whose database became an earlier copy of itself. */
export interface WentBack {
  readonly device: string;
  readonly at: number;
  /** Rows of the ledger in the copy, or on a peer that could be asked. */
  readonly known: ReadonlySet<string>;
}

/** Set when a device that slept, or whose disk was slow, checks that it may still send. */
const SENDS_IN_TIME = true;

export function problemsOf(devices: readonly Device[], truth: Truth): string[] {
  const [first] = devices;
  if (!first) return [];
  for (const device of devices) device.memory.compareWith(device.running.db);
  return [
    ...divergences(devices),
    ...devices.flatMap((device) => openWork(device)),
    ...devices.flatMap((device) => refusedOn(device)),
    ...devices.flatMap((device) => pausedByThemselves(device)),
    ...lostEvents(first, truth),
    ...repeatedEffects(first, truth),
    ...untrueOutcomes(first, truth),
    ...unrecordedEffects(first, truth),
    ...missingEffects(first, truth),
    ...devices.flatMap((device) => forgottenOutcomes(device, truth)),
    ...(SENDS_IN_TIME ? truth.world.late : []),
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

/** Devices refuse no row that a device writes, and no work fails. */
function refusedOn({ name, running: { db, stores } }: Device): string[] {
  const refused = [
    ...refusedByShapes(db),
    ...stores.refusedRows.list().map(({ id, reason }) => `${id} ${reason}`),
  ];
  return refused.map((row) => `${name} refuses ${row}`);
}

/** Without a person or a restore nothing pauses, whatever happens to network, disk and power. */
export function pausedByThemselves({ name, running: { stores } }: Device): string[] {
  return stores.workflows
    .ids()
    .flatMap((id) => stores.workflows.get(id) ?? [])
    .filter(({ status, statusReason }) => status === 'paused' && !isByPerson(statusReason))
    .map((workflow) => `${name}: ${workflow.name} paused by itself: ${workflow.statusReason}`);
}

export function isByPerson(reason: string | null): boolean {
  return reason === PERSONS_REASON || isRestoredReason(reason);
}

function lostEvents({ running: { db } }: Device, { published }: Truth): string[] {
  return [...published]
    .filter((id) => db.get('SELECT 1 FROM events WHERE id = ?', id) === undefined)
    .map((id) => `the published event ${id} is lost`);
}

/**
 * An effect may happen twice only if a person forced two owners, and then an incident shows it, or if a
 * person stated something false or sent it again. Nor may one event have two effects.
 */
function repeatedEffects({ running: { db } }: Device, truth: Truth): string[] {
  const { happened } = truth.world;
  const ids = new Set(happened.map(({ effectId }) => effectId));
  const repeated = [...ids].flatMap((effectId) => {
    const occurrences = occurrencesThatCount(effectId, truth);
    const times = occurrences.length;
    const workflowId = workflowOf(db, effectId);
    if (times < 2 || mayRepeat(effectId, truth)) return [];
    const twice = deviceThatRepeated(occurrences);
    if (twice !== undefined) return [`${twice} made the effect ${effectId} more than once`];
    if (workflowId === undefined || !truth.forced.has(workflowId)) {
      return [`the effect ${effectId} happened ${times} times, and no person forced it`];
    }
    return isShown(db, effectId)
      ? []
      : [`the effect ${effectId} happened ${times} times, and no incident shows it`];
  });
  const byEvent = Map.groupBy(
    happened,
    ({ method, params }) => `${method} ${JSON.stringify(params)}`,
  );
  const doubled = [...byEvent].filter(([, ofEvent]) => {
    const effectIds = [...new Set(ofEvent.map(({ effectId }) => effectId))];
    const isExcused = effectIds.some(
      (id) => mayRepeat(id, truth) || truth.forced.has(workflowOf(db, id) ?? ''),
    );
    return effectIds.length > 1 && !isExcused;
  });
  return [...repeated, ...doubled.map(([event]) => `the event ${event} had two effects`)];
}

/** What a device did before it went back counts only if its copy or a peer could tell. */
function occurrencesThatCount(effectId: string, { world, wentBack }: Truth): Happened[] {
  return world.happened.filter(
    ({ effectId: id, device, sentAt, mutationId = '' }) =>
      id === effectId &&
      !wentBack.some(
        (back) => back.device === device && sentAt <= back.at && !back.known.has(mutationId),
      ),
  );
}

/** A second owner excuses what two devices did, not what one did twice. */
function deviceThatRepeated(occurrences: readonly Happened[]): string | undefined {
  const devices = occurrences.map(({ device }) => device);
  return devices.find((device, index) => devices.indexOf(device) < index);
}

function mayRepeat(effectId: string, { statements }: Truth): boolean {
  const stated = statements.get(effectId);
  return stated !== undefined && (stated.has('failed_falsely') || stated.has('send_again'));
}

function workflowOf(db: Database, effectId: string): string | undefined {
  return db.value('SELECT workflow_id FROM mutations WHERE idempotency_key = ?', effectId);
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
 * falsely is not the ledger's fault.
 */
function untrueOutcomes({ running: { db } }: Device, { world, statements }: Truth): string[] {
  const rows = db.all<LedgerRow>(
    `SELECT id, idempotency_key AS effectId, status, outcome ->> '$.status' AS made FROM mutations
     WHERE idempotency_key IS NOT NULL`,
  );
  const acted = new Set(world.happened.map(({ mutationId }) => mutationId));
  return rows.flatMap(({ id, effectId, status, made }) => {
    const said = [status, made];
    const stated = statements.get(effectId);
    const isFalselyApplied =
      said.includes('applied') &&
      world.timesOf(effectId) === 0 &&
      stated?.has('happened_falsely') !== true;
    const untrue = said.find((one) => one === 'failed' || one === 'pending');
    const isFalselyFailed =
      untrue !== undefined && acted.has(id) && stated?.has('failed_falsely') !== true;
    return [
      ...(isFalselyApplied ? [`the mutation ${id} is applied, but its effect never happened`] : []),
      ...(isFalselyFailed ? [`the mutation ${id} is ${untrue}, but its effect happened`] : []),
    ];
  });
}

/** Events that were consumed although their effect never happened and no person wanted that. */
function missingEffects({ running: { db } }: Device, { world, statements }: Truth): string[] {
  const done = new Set(
    world.happened.map(({ method, params }) => `${method} ${JSON.stringify(params)}`),
  );
  const consumed = db.all<{ event: string; effectIds: string }>(
    `SELECT m.tool_method || ' ' || m.params AS event, json_group_array(m.idempotency_key) AS effectIds
     FROM events e JOIN reservations r ON r.event_id = e.id
       JOIN mutations m ON m.handler_run_id = r.handler_run_id
     WHERE e.status = 'consumed' AND m.idempotency_key IS NOT NULL GROUP BY e.id`,
  );
  return consumed
    .filter(({ event, effectIds }) => {
      const ids = JSON.parse(effectIds) as string[];
      return !done.has(event) && !ids.some((id) => statements.has(id));
    })
    .map(({ event }) => `${event} was consumed, but its effect never happened`);
}

/**
 * Effects that a device once knew as applied, unless a person stated since that they didn't happen. After
 * it went back, a check can find an effect that a later attempt made; that attempt's row counts then.
 */
function forgottenOutcomes(device: Device, { statements, wentBack }: Truth): string[] {
  const { db } = device.running;
  const applied = `SELECT 1 FROM mutations WHERE idempotency_key = ? AND status = 'applied'`;
  return device.memory.forgotten
    .filter(({ mutationId }) => {
      const sql = 'SELECT idempotency_key FROM mutations WHERE id = ?';
      const effectId = db.value<string>(sql, mutationId) ?? '';
      const isKnown = wentBack.length > 0 && db.get(applied, effectId) !== undefined;
      return !isKnown && statements.get(effectId)?.has('failed_falsely') !== true;
    })
    .map(({ problem }) => problem);
}

/** Effects that happened without a row that was in flight. */
function unrecordedEffects({ running: { db } }: Device, { world, wentBack }: Truth): string[] {
  return world.happened
    .filter(
      ({ device, sentAt }) => !wentBack.some((back) => back.device === device && sentAt <= back.at),
    )
    .filter(
      ({ mutationId }) => db.get('SELECT 1 FROM mutations WHERE id = ?', mutationId) === undefined,
    )
    .map(
      ({ effectId, device }) => `${device} made the effect ${effectId} without a row in the ledger`,
    );
}
