// The space of this device: its group of paired devices. An unpaired device is a space of its own
// and adopts the inviter's space when it joins.
import type { Database } from '#main/store/sqlite/database.ts';
import { SettingsStore } from '#main/store/tables/settings.ts';
import type { StoreContext } from '#main/store/store-context.ts';

const KEY = 'space_id';

export class Space {
  readonly #settings: SettingsStore;
  readonly #db: Database;
  #id: string;

  constructor(context: Pick<StoreContext, 'db' | 'clock' | 'ids'>) {
    this.#db = context.db;
    this.#settings = new SettingsStore(context);
    const known = this.#settings.get(KEY);
    this.#id = typeof known === 'string' ? known : context.ids.ulid();
    if (this.#id !== known) this.#settings.set(KEY, this.#id);
  }

  get id(): string {
    return this.#id;
  }

  /** Runs `alongside` in the same transaction, so both happen or neither does. */
  join(id: string, alongside: () => void): void {
    this.#db.write(() => {
      alongside();
      if (id !== this.#id) this.#settings.set(KEY, id);
    });
    this.#id = id;
  }
}
