// The composition root: opens everything in order, closes it in the reverse one. Plain Node; the
// same host serves Electron, the headless server, the command line and the tests.
import type { Logger } from 'pino';
import { ChangeFeed } from '#main/api/change-feed.ts';
import { createDispatch, type Dispatch } from '#main/api/dispatch.ts';
import { createHandlers } from '#main/api/handlers.ts';
import { appVersion } from '#main/host/app-version.ts';
import { openDataFolder, type DataFolder } from '#main/host/data-folder.ts';
import { createSystemIds, systemClock } from '#main/host/system.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import type { Clock } from '#shared/clock.ts';
import type { IdSource } from '#shared/ids.ts';

export interface HostOptions {
  readonly dataDir: string;
  /** Called once the folder is ours: a log must not be written into somebody else's. */
  readonly createLog: () => Logger;
  readonly clock?: Clock;
  readonly ids?: IdSource;
}

export interface Host {
  readonly folder: DataFolder;
  readonly stores: Stores;
  readonly feed: ChangeFeed;
  readonly startedAt: number;
  readonly log: Logger;
  /** Every way in, whatever carries it, ends here. */
  readonly dispatch: Dispatch;
  close(): void;
}

export function createHost(options: HostOptions): Host {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? createSystemIds(clock);
  const folder = openDataFolder({ dir: options.dataDir, clock, ids });
  const log = options.createLog();
  const { db, identity, spaceId } = folder;
  if (identity.renewed) {
    log.warn(
      { deviceId: identity.deviceId },
      `${identity.renewed}: this device has a new identity`,
    );
  }
  const stores = createStores({ db, clock, ids, deviceId: identity.deviceId, spaceId });
  const startedAt = clock.now();
  const feed = new ChangeFeed(db.changes);
  const handlers = createHandlers({
    stores,
    info: {
      version: appVersion(),
      schemaVersion: folder.migrated.to,
      deviceId: identity.deviceId,
      spaceId,
      dataDir: folder.dir,
      startedAt,
      pid: process.pid,
    },
  });
  return {
    folder,
    stores,
    feed,
    startedAt,
    log,
    dispatch: createDispatch(handlers, log),
    close: () => {
      feed.close();
      folder.close();
    },
  };
}
