// The dependencies of every sync session.
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { readSyncSchema, type SyncSchema } from '#main/sync/changes/sync-schema.ts';

export interface SyncContext extends Omit<StoreContext, 'ids'> {
  readonly stores: Pick<Stores, 'lineages' | 'peerCursors' | 'refusedRows'>;
  readonly schema: SyncSchema;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The content of an artifact that a row of this run refers to; undefined if there is none here. */
  readonly sharedArtifact: (runId: string, sha256: string) => Promise<Uint8Array | undefined>;
  /** Yields to the event loop between two pieces of work. */
  readonly yieldTurn: () => Promise<unknown>;
}

export type SyncContextOptions = Omit<SyncContext, 'schema' | 'yieldTurn' | 'sharedArtifact'> &
  Partial<Pick<SyncContext, 'yieldTurn' | 'sharedArtifact'>>;

export function createSyncContext(options: SyncContextOptions): SyncContext {
  return {
    ...options,
    schema: readSyncSchema(options.db),
    sharedArtifact: options.sharedArtifact ?? (async () => undefined),
    yieldTurn: options.yieldTurn ?? (() => setImmediate()),
  };
}
