// The devices of this space. Each device writes only its own row.
import { Store } from '#main/store/store-context.ts';

export interface Device {
  readonly id: string;
  readonly keyHash: string;
  readonly name: string;
  readonly createdAt: number;
}

/** A merge delivers columns one by one, so a row can be incomplete for a while. */
const COLUMNS = `id, coalesce(key_hash, '') AS keyHash, coalesce(name, id) AS name,
  coalesce(created_at, 0) AS createdAt`;

export class DeviceStore extends Store {
  /** Called at every start, so the row exists from the first start on. */
  ensureOwn(keyHash: string, defaultName: string): void {
    const { db, clock, deviceId } = this.context;
    const now = clock.now();
    db.write(() => {
      const inserted = db.run(
        'INSERT INTO devices (id, facts, profile) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
        deviceId,
        JSON.stringify({ key_hash: keyHash, created_at: now }),
        JSON.stringify({ name: defaultName, updated_at: now }),
      );
      if (inserted === 1) db.changes.record('devices', deviceId);
    });
  }

  renameOwn(name: string): void {
    const { db, clock, deviceId } = this.context;
    db.write(() => {
      db.run(
        'UPDATE devices SET profile = ? WHERE id = ? AND name IS NOT ?',
        JSON.stringify({ name, updated_at: clock.now() }),
        deviceId,
        name,
      );
      db.changes.record('devices', deviceId);
    });
  }

  get(id: string): Device | undefined {
    return this.db.get(`SELECT ${COLUMNS} FROM devices WHERE id = ?`, id);
  }

  list(): Device[] {
    return this.db
      .all<Device>(`SELECT ${COLUMNS} FROM devices ORDER BY created_at, id`)
      .flatMap(this.refused.readable('devices', (device) => device));
  }
}
