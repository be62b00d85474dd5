// When each producer on this device is due. Durable: a restart neither skips nor repeats a slot.
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import type { Json } from '#shared/json.ts';

export interface ProducerSchedule {
  readonly workflowId: string;
  readonly producer: string;
  readonly schedule: Json;
  readonly nextRunAt: number | null;
  readonly lastSlotAt: number | null;
}

type Row = WithJsonText<ProducerSchedule, 'schedule'>;

export class ProducerScheduleStore extends Store {
  readonly #schedules: TableCache<readonly ProducerSchedule[]>;

  constructor(context: StoreContext) {
    super(context);
    this.#schedules = context.db.cache('producer_schedules');
  }

  of(workflowId: string): readonly ProducerSchedule[] {
    return this.#schedules.get(workflowId, () =>
      this.db
        .all<Row>(
          `SELECT workflow_id AS workflowId, producer, schedule, next_run_at AS nextRunAt,
             last_slot_at AS lastSlotAt
           FROM producer_schedules WHERE workflow_id = ? ORDER BY producer`,
          workflowId,
        )
        .map((row) => ({ ...row, schedule: parseJson<Json>(row.schedule) })),
    );
  }

  set(schedule: ProducerSchedule): void {
    this.db.write(() => {
      this.db.run(
        `INSERT INTO producer_schedules (workflow_id, producer, schedule, next_run_at, last_slot_at)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (workflow_id, producer) DO UPDATE SET schedule = excluded.schedule,
           next_run_at = excluded.next_run_at, last_slot_at = excluded.last_slot_at`,
        schedule.workflowId,
        schedule.producer,
        JSON.stringify(schedule.schedule),
        schedule.nextRunAt,
        schedule.lastSlotAt,
      );
      this.db.changes.record('workflows', schedule.workflowId);
    });
  }

  /** A lane that starts computes them again from now on, as for a workflow that was taken over. */
  forgetAll(): void {
    this.db.write(() => this.db.run('DELETE FROM producer_schedules'));
  }

  remove(workflowId: string, producer: string): void {
    this.db.write(() =>
      this.db.run(
        'DELETE FROM producer_schedules WHERE workflow_id = ? AND producer = ?',
        workflowId,
        producer,
      ),
    );
  }
}
