// Gives the rows of this device its new id, once: when it got its key. Only for a device that never
// shared anything: the change is not one for peers, so it is made as a merge would be, without a
// clock entry; whoever syncs later gets the rows as they are then.
import type { Database } from '#main/store/database.ts';

const TABLES = ['script_runs', 'handler_runs', 'mutations', 'resolutions'];

/** To be called inside a write. */
export function renameDevice(db: Database, from: string, to: string): void {
  db.value('SELECT crsql_internal_sync_bit(1)');
  try {
    for (const table of TABLES) {
      db.run(
        `UPDATE ${table} SET facts = json_set(facts, '$.device_id', ?) WHERE device_id = ?`,
        to,
        from,
      );
    }
    db.run(
      `UPDATE workflows SET facts = json_set(facts, '$.created_by_device_id', ?)
       WHERE created_by_device_id = ?`,
      to,
      from,
    );
  } finally {
    db.value('SELECT crsql_internal_sync_bit(0)');
  }
}
