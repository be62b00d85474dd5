// Incidents and the rows they are detected from. Ids are deterministic, so devices that detect the
// same incident write the same row.
import { expectMerged, parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store } from '#main/store/store-context.ts';
import type { AllSides, CommittedRun, Finding, IncidentKind, OneSide } from '#shared/incidents.ts';
import type { Resolution } from '#shared/machines/mutation.ts';

export interface Incident extends Omit<Finding, 'kind'> {
  readonly kind: IncidentKind;
  readonly acknowledged: {
    readonly deviceId: string;
    readonly at: number;
    readonly note: string | null;
  } | null;
}

type Row = WithJsonText<Incident, 'acknowledged'>;

type SidesRow = WithJsonText<AllSides, 'made' | 'recovered' | 'taken'>;

const COLUMNS = 'id, kind, workflow_id AS workflowId, about, at, acknowledged';

const SIDES = `SELECT id AS mutationId, workflow_id AS workflowId, idempotency_key AS effectId,
  outcome AS made, recovered, takeover AS taken FROM mutations`;

export class IncidentStore extends Store {
  /** False when the incident is known already. */
  add(finding: Finding): boolean {
    const { id, kind, workflowId, about, at } = finding;
    const facts = JSON.stringify({ kind, workflow_id: workflowId, about, at });
    const isNew =
      this.db.run(
        'INSERT INTO incidents (id, facts) VALUES (?, ?) ON CONFLICT DO NOTHING',
        id,
        facts,
      ) === 1;
    if (isNew) this.db.changes.record('incidents', id);
    return isNew;
  }

  get(id: string): Incident | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM incidents WHERE id = ?`, id);
    return row && this.refused.read('incidents', id, () => toIncident(row));
  }

  /** Unacknowledged incidents, oldest first. */
  open(): Incident[] {
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM incidents WHERE acknowledged IS NULL ORDER BY at, id`)
      .flatMap(this.refused.readable('incidents', toIncident));
  }

  acknowledge(id: string, note?: string): void {
    const { db, clock, deviceId } = this.context;
    const acknowledged = JSON.stringify({ device_id: deviceId, at: clock.now(), note });
    db.write(() => {
      db.run(
        'UPDATE incidents SET acknowledged = ? WHERE id = ? AND acknowledged IS NULL',
        acknowledged,
        id,
      );
      db.changes.record('incidents', id);
    });
  }

  /** All rows of one effect as each device wrote them, without takeover precedence. */
  ofEffect(effectId: string): AllSides[] {
    return this.db
      .all<SidesRow>(`${SIDES} WHERE idempotency_key = ? ORDER BY id`, effectId)
      .map(toAllSides);
  }

  ofMutation(mutationId: string): AllSides | undefined {
    const row = this.db.get<SidesRow>(`${SIDES} WHERE id = ?`, mutationId);
    return row && toAllSides(row);
  }

  /** Runs that committed with this event, by attempt, as the device that made them recorded it. */
  committedWith(eventId: string): Map<number, CommittedRun[]> {
    const rows = this.db.all<CommittedRun & { attempt: number; ended: string | null }>(
      `SELECT reservations.attempt_number AS attempt, handler_runs.id AS runId,
         workflow_id AS workflowId, device_id AS deviceId, epoch,
         progress ->> 'end_timestamp' AS ended
       FROM reservations JOIN handler_runs ON handler_runs.id = reservations.handler_run_id
       WHERE reservations.event_id = ? AND progress ->> 'phase' = 'committed'
       ORDER BY handler_runs.id`,
      eventId,
    );
    const byAttempt = new Map<number, CommittedRun[]>();
    for (const { attempt, ended, ...run } of rows) {
      const known = byAttempt.get(attempt) ?? [];
      known.push({ ...run, endedAt: Date.parse(ended ?? '') || 0 });
      byAttempt.set(attempt, known);
    }
    return byAttempt;
  }
}

function toAllSides(row: SidesRow): AllSides {
  return {
    ...row,
    made: toSide(row.made),
    recovered: row.recovered === null ? null : toSide(row.recovered),
    taken: row.taken === null ? null : toSide(row.taken),
  };
}

function toSide(text: string): OneSide {
  const side = JSON.parse(text) as {
    status: string;
    resolved_by?: Resolution;
    resolved_at?: number;
    resent?: boolean;
    updated_at?: number;
  };
  return {
    status: side.status,
    resolvedBy: side.resolved_by ?? null,
    resolvedAt: side.resolved_at ?? null,
    isResent: side.resent ?? false,
    updatedAt: side.updated_at ?? 0,
  };
}

function toIncident(row: Row): Incident {
  expectMerged(row.workflowId);
  const acknowledged = parseJson<{ device_id: string; at: number; note?: string }>(
    row.acknowledged,
  );
  return {
    ...row,
    acknowledged: acknowledged && {
      deviceId: acknowledged.device_id,
      at: acknowledged.at,
      note: acknowledged.note ?? null,
    },
  };
}
