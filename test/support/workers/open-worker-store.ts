// Opens the stores on an existing database file inside a worker process of a test.
import { Database } from '#main/store/sqlite/database.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { createStores, type Stores } from '#main/store/stores.ts';

export function openWorkerStore(path: string): Stores & { db: Database } {
  const db = new Database(path, { busyTimeoutMs: 20_000 });
  const clock = systemClock;
  const ids = createSystemIds(clock);
  const deviceId = 'device-a';
  return { ...createStores({ db, clock, ids, deviceId, spaceId: 'space-1' }), db };
}
