// The dependencies of the input lifecycle.
import type { Logger } from 'pino';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';

export interface LifecycleContext {
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly log: Logger;
}
