// What every session of a device is made with.
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { readSyncSchema, type SyncSchema } from '#main/sync/changes/sync-schema.ts';

export interface SyncContext extends Omit<StoreContext, 'ids'> {
  readonly stores: Pick<Stores, 'lineages' | 'peerCursors'>;
  readonly schema: SyncSchema;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Between two pieces of work: gives everybody else a turn. */
  readonly breathe: () => Promise<unknown>;
}

export type SyncContextOptions = Omit<SyncContext, 'schema' | 'breathe'> &
  Partial<Pick<SyncContext, 'breathe'>>;

export function createSyncContext(options: SyncContextOptions): SyncContext {
  return {
    ...options,
    schema: readSyncSchema(options.db),
    breathe: options.breathe ?? (() => setImmediate()),
  };
}
