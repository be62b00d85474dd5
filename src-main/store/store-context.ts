// The dependencies of every store.
import type { Database } from '#main/store/sqlite/database.ts';
import { RefusedSet } from '#main/store/sqlite/refused-set.ts';
import type { Clock } from '#shared/clock.ts';
import type { IdSource } from '#shared/ids.ts';

export interface StoreContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Written into the rows that this device creates. */
  readonly deviceId: string;
  /** The group of paired devices that this one belongs to. */
  readonly spaceId: string;
}

export abstract class Store {
  protected readonly context: StoreContext;
  protected readonly db: Database;
  protected readonly refused: RefusedSet;

  constructor(context: StoreContext) {
    this.context = context;
    this.db = context.db;
    this.refused = new RefusedSet(context.db);
  }
}
