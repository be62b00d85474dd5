// The append authority of spec 001: an append-only log per run, and snapshots of it.
import { hash } from 'node:crypto';
import { Store } from '#main/store/store-context.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { JsonObject } from '#shared/json.ts';
import { MAX_EVENTS_PAGE, MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import type { Lane } from '#shared/session-enums.ts';
import {
  emptySnapshot,
  passesFastCheck,
  RUN_END_EVENTS,
  MAX_RUN_SEQ,
  projectRunEvents,
  runEventKey,
  runEventKeyText,
  runEventWriteSchema,
  type AppendResult,
  type IRunStateStore,
  type KeyParts,
  type RunEventRecord,
  type RunEventWrite,
  type RunSnapshot,
} from '#shared/run-log.ts';

/** The event violates the contract of spec 001. Nothing was written. */
export class RunEventInvalid extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`This run event was not appended: ${problems.join('; ')}.`);
    this.name = 'RunEventInvalid';
    this.problems = problems;
  }
}

interface Facts {
  run_seq: number;
  persisted_at: string;
  /** The append authority. Absent in records of older versions. */
  device_id?: string;
  event_id: string;
  event_type: string;
  emitted_at: string;
  tenant_id: string;
  project_id: string;
  environment_id: string;
  plan_id: string;
  plan_version: string;
  engine_attempt_id: number;
  logical_attempt_id: number;
  step_id?: string | undefined;
  payload?: RunEventWrite['payload'];
}

interface Row {
  idempotency_key: string;
  facts: string;
  /** The number that readers see. */
  seq: number;
}

/**
 * Site 0 is this database. The text must be a time, because it becomes a part of JSON. Looked at only if
 * our clock is behind the last record.
 */
const IS_WRITTEN_HERE = `at = strftime('%Y-%m-%dT%H:%M:%fZ', at) AND EXISTS (
  SELECT 1 FROM run_events__crsql_pks AS pks
  JOIN run_events__crsql_clock AS clock ON clock.key = pks.__crsql_key AND clock.col_name = 'facts'
  WHERE pks.run_id = @runId AND pks.idempotency_key = last.idempotency_key AND clock.site_id = 0)`;

/**
 * The next number: in the term of the last record if this device wrote it, otherwise the first of the
 * next term. After a fork the log also continues in the next term, after all records of the fork.
 * Times don't go back if our clock does. A record counts as ours only if it was written here: a peer may
 * send one with our id and any time.
 */
const APPEND = `
  WITH last AS (
    SELECT run_seq AS seq, device_id AS device, persisted_at AS at, idempotency_key FROM run_events
    WHERE run_id = @runId AND run_seq <= ${MAX_RUN_SEQ} ORDER BY run_seq DESC LIMIT 1)
  INSERT INTO run_events (run_id, idempotency_key, facts)
  SELECT @runId, @key,
    '{"run_seq":' || coalesce((SELECT CASE
        WHEN seq >> 41 < 4095 AND (device <> @device OR EXISTS (
          SELECT 1 FROM run_log_forks WHERE run_id = @runId AND term = seq >> 41))
        THEN ((seq >> 41) + 1 << 41) + 1 ELSE seq + 1 END FROM last), 1)
    || ',"persisted_at":"' || max(@now, coalesce((
      SELECT at FROM last WHERE device = @device AND at > @now AND ${IS_WRITTEN_HERE}), ''))
    || '",' || @rest
  WHERE NOT EXISTS (SELECT 1 FROM run_events WHERE run_id = @runId AND idempotency_key = @key)
  RETURNING run_seq AS runSeq, persisted_at AS persistedAt`;

/** A number that an append authority can have assigned; others came from a peer and are not shown. */
const IS_NUMBERED = `run_seq <= ${MAX_RUN_SEQ}
  AND run_seq & ${2 ** 41 - 1} BETWEEN 1 AND ${2 ** 31 - 1}`;

const READ = `
  SELECT idempotency_key, facts, run_seq AS seq FROM run_events
  WHERE run_id = ? AND run_seq > ? AND ${IS_NUMBERED} ORDER BY run_seq LIMIT ?`;

/** Records that share a number: the first keeps it, the others follow at the end of the term. */
const READ_FORKED = `
  SELECT idempotency_key, facts, seq FROM (
    SELECT idempotency_key, facts, place, run_seq + (place << 31) AS seq FROM (
      SELECT idempotency_key, facts, run_seq, row_number() OVER (
        PARTITION BY run_seq ORDER BY coalesce(device_id, ''), idempotency_key) - 1 AS place
      FROM run_events WHERE run_id = ? AND ${IS_NUMBERED}))
  WHERE place < 1024 AND seq > ? ORDER BY seq LIMIT ?`;

export class RunStateStore extends Store implements IRunStateStore {
  async appendEvent(event: RunEventWrite): Promise<AppendResult> {
    return this.append(event);
  }

  /**
   * Appends an event of this host. Space, workflow, lane and version fill the fields that spec 001
   * calls tenant, project, environment and plan.
   */
  record(
    identity: KeyParts,
    place: { readonly workflowId: string; readonly lane?: Lane },
    payload: JsonObject,
  ): AppendResult {
    const { clock, ids, spaceId, deviceId } = this.context;
    return this.append({
      ...identity,
      eventId: ids.uuid(),
      emittedAt: rfc3339(clock.now()),
      tenantId: spaceId,
      projectId: place.workflowId,
      environmentId: place.lane ?? 'main',
      engineAttemptId: 1,
      idempotencyKey: runEventKey(identity),
      payload: { ...payload, deviceId },
    });
  }

  /** `appendEvent` for callers that append as part of a larger write. */
  append(event: RunEventWrite): AppendResult {
    assertWritable(event);
    const { db, clock, deviceId } = this.context;
    const rest = JSON.stringify(toFacts(event, deviceId)).slice(1);
    // A UTF-16 unit takes at most 3 bytes, so only long texts need an exact count.
    if (rest.length * 3 > MAX_PAYLOAD_BYTES) assertPayloadFits(event);
    return db.writeOne(() => {
      // One statement instead of three: checks the key, takes the next number and inserts.
      const appended = db.get<Pick<AppendResult, 'runSeq' | 'persistedAt'>>(APPEND, {
        runId: event.runId,
        key: event.idempotencyKey,
        device: deviceId,
        // Read with the write lock held: another writer can't commit between this and the number.
        now: rfc3339(clock.now()),
        rest,
      });
      if (appended === undefined) return this.#alreadyThere(event);
      db.changes.record('run_events', event.runId);
      return { eventId: event.eventId, ...appended, idempotent: false, persisted: true };
    });
  }

  /** The type of the event that ended the session, if its log has one. */
  endOf(runId: string): string | undefined {
    const ends = RUN_END_EVENTS.map(() => '?').join(', ');
    return this.db.value<string>(
      `SELECT facts ->> 'event_type' FROM run_events
       WHERE run_id = ? AND facts ->> 'event_type' IN (${ends}) ORDER BY run_seq LIMIT 1`,
      runId,
      ...RUN_END_EVENTS,
    );
  }

  has(runId: string, key: string): boolean {
    const sql = 'SELECT 1 FROM run_events WHERE run_id = ? AND idempotency_key = ?';
    return this.db.value<number>(sql, runId, key) !== undefined;
  }

  /** `fetchEvents` without paging, for the short log of one handler run. */
  records(runId: string): RunEventRecord[] {
    return this.#read(runId, 0, MAX_EVENTS_PAGE);
  }

  async fetchEvents(
    runId: string,
    options: { afterSeq?: number; limit?: number } = {},
  ): Promise<RunEventRecord[]> {
    return this.#read(runId, options.afterSeq ?? 0, options.limit ?? MAX_EVENTS_PAGE);
  }

  /** The last stored snapshot; null when this device never projected the run. */
  async getSnapshot(runId: string): Promise<RunSnapshot | null> {
    return this.#storedSnapshot(runId);
  }

  /** Projects the whole log and stores the snapshot. */
  async projectSnapshot(runId: string): Promise<RunSnapshot> {
    const stored = this.#storedSnapshot(runId);
    let snapshot = stored ?? emptySnapshot(runId);
    for (;;) {
      const events = this.#read(runId, snapshot.lastRunSeq, MAX_EVENTS_PAGE);
      snapshot = projectRunEvents(snapshot, events);
      if (events.length < MAX_EVENTS_PAGE) break;
    }
    if (snapshot.lastRunSeq !== (stored?.lastRunSeq ?? 0)) {
      this.db.write(() =>
        this.db.run(
          `INSERT INTO run_snapshots (run_id, last_run_seq, snapshot) VALUES (?, ?, ?)
           ON CONFLICT (run_id) DO UPDATE
           SET last_run_seq = excluded.last_run_seq, snapshot = excluded.snapshot
           WHERE excluded.last_run_seq > run_snapshots.last_run_seq`,
          runId,
          snapshot.lastRunSeq,
          JSON.stringify(snapshot),
        ),
      );
    }
    return snapshot;
  }

  #alreadyThere({ runId, idempotencyKey }: RunEventWrite): AppendResult {
    const known = this.db.get<Row>(
      `SELECT * FROM (${this.#readSql(runId)}) WHERE idempotency_key = ?`,
      runId,
      0,
      -1,
      idempotencyKey,
    );
    if (!known) throw new RunEventInvalid(['idempotencyKey: a record without a number has it']);
    const { eventId, runSeq, persistedAt } = toRecord(runId, known);
    return { eventId, runSeq, persistedAt, idempotent: true, persisted: false };
  }

  #storedSnapshot(runId: string): RunSnapshot | null {
    const text = this.db.value<string>(
      'SELECT snapshot FROM run_snapshots WHERE run_id = ?',
      runId,
    );
    return text === undefined ? null : (JSON.parse(text) as RunSnapshot);
  }

  #read(runId: string, afterSeq: number, limit: number): RunEventRecord[] {
    return this.db
      .all<Row>(this.#readSql(runId), runId, afterSeq, limit)
      .map((row) => toRecord(runId, row));
  }

  #readSql(runId: string): string {
    const isForked = this.db.value('SELECT 1 FROM run_log_forks WHERE run_id = ?', runId) === 1;
    return isForked ? READ_FORKED : READ;
  }
}

function assertWritable(event: RunEventWrite): void {
  if (!passesFastCheck(event)) assertSchema(event);
  if (event.idempotencyKey !== hash('sha256', runEventKeyText(event))) {
    throw new RunEventInvalid([
      'idempotencyKey: is not the SHA-256 of runId|stepId|logicalAttemptId|eventType|planId|planVersion',
    ]);
  }
}

function assertPayloadFits({ payload }: RunEventWrite): void {
  const bytes = payload ? Buffer.byteLength(JSON.stringify(payload)) : 0;
  if (bytes <= MAX_PAYLOAD_BYTES) return;
  throw new RunEventInvalid([
    `payload: has ${bytes} bytes, at most ${MAX_PAYLOAD_BYTES} are allowed`,
  ]);
}

function assertSchema(event: RunEventWrite): void {
  const parsed = runEventWriteSchema.safeParse(event);
  if (parsed.success) return;
  throw new RunEventInvalid(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'event'}: ${issue.message}`),
  );
}

/** Everything except number and time, which are prepended in the write. */
function toFacts(event: RunEventWrite, deviceId: string): Omit<Facts, 'run_seq' | 'persisted_at'> {
  return {
    device_id: deviceId,
    event_id: event.eventId,
    event_type: event.eventType,
    emitted_at: event.emittedAt,
    tenant_id: event.tenantId,
    project_id: event.projectId,
    environment_id: event.environmentId,
    plan_id: event.planId,
    plan_version: event.planVersion,
    engine_attempt_id: event.engineAttemptId,
    logical_attempt_id: event.logicalAttemptId,
    step_id: event.stepId,
    payload: event.payload,
  };
}

function toRecord(runId: string, row: Row): RunEventRecord {
  const facts = JSON.parse(row.facts) as Facts;
  return {
    runId,
    idempotencyKey: row.idempotency_key,
    runSeq: row.seq,
    persistedAt: facts.persisted_at,
    eventId: facts.event_id,
    eventType: facts.event_type,
    emittedAt: facts.emitted_at,
    tenantId: facts.tenant_id,
    projectId: facts.project_id,
    environmentId: facts.environment_id,
    planId: facts.plan_id,
    planVersion: facts.plan_version,
    engineAttemptId: facts.engine_attempt_id,
    logicalAttemptId: facts.logical_attempt_id,
    ...(facts.step_id === undefined ? {} : { stepId: facts.step_id }),
    // A peer may have written anything.
    ...(isObject(facts.payload) ? { payload: facts.payload } : {}),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
