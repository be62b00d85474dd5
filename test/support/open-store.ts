// Real stores with a real database file and cr-sqlite, on a virtual clock.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Database, type OpenOptions } from '#main/store/sqlite/database.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import { createMigratedDatabase } from '#test/support/migrated-database.ts';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import { createUlidSource } from '#shared/ulid.ts';
import { tempFolder, type AtEnd } from '#test/support/temp-folder.ts';

export interface OpenStore extends Stores {
  readonly path: string;
  readonly db: Database;
  readonly clock: VirtualClock;
  readonly context: StoreContext;
}

export function openStore(
  deviceId = 'device-a',
  path = join(tempFolder(), 'test.db'),
  options: OpenOptions = {},
  clock = createVirtualClock(),
  atEnd: AtEnd = onTestFinished,
): OpenStore {
  if (existsSync(path)) migrateFile(path);
  else createMigratedDatabase(path);
  const db = new Database(path, options);
  atEnd(() => db.close());
  const ids = {
    ulid: createUlidSource(clock.now, (count) => crypto.getRandomValues(new Uint8Array(count))),
    uuid: () => randomUUID(),
  };
  const context = { db, clock, ids, deviceId, spaceId: 'space-1' };
  const stores = createStores(context);
  stores.lineages.open();
  return { ...stores, path, db, clock, context };
}

export function addWorkflow(store: Stores, id = 'workflow-1', code?: string): string {
  const script = code === undefined ? undefined : store.scripts.ensure(id, code);
  return store.workflows.create(id, { name: `Workflow ${id}`, scriptId: script?.id ?? null }).id;
}

/** A store that all tests of a file share. */
export function openSharedStore(atEnd: AtEnd): OpenStore {
  const path = join(tempFolder(atEnd), 'test.db');
  return openStore('device-a', path, {}, createVirtualClock(), atEnd);
}
