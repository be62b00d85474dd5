// The space that this device belongs to: the group of paired devices. Until it is paired, a device
// is a space of its own; joining, it takes the space of the one that invited it.
import type { Database } from '#main/store/database.ts';
import { SettingsStore } from '#main/store/settings.ts';
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

  /** Both or neither: what is written alongside belongs to the joining. */
  join(id: string, alongside: () => void): void {
    this.#db.write(() => {
      alongside();
      if (id !== this.#id) this.#settings.set(KEY, id);
    });
    this.#id = id;
  }
}
