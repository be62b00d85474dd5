// Rewrites this device's id in its rows, once, when it gets its key. Only for a device that never
// synced: the update sets cr-sqlite's sync bit, so it creates no change for peers. Peers that sync
// later receive the rows with the new id.
import type { Database } from '#main/store/sqlite/database.ts';

const TABLES = ['script_runs', 'handler_runs', 'mutations', 'resolutions', 'run_events'];

/** Call inside a write. */
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
