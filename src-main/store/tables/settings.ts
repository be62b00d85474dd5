// Local key-value settings of this device.
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Json } from '#shared/json.ts';

export class SettingsStore {
  readonly #context: Pick<StoreContext, 'db' | 'clock'>;

  readonly #texts: TableCache<string | undefined>;

  constructor(context: Pick<StoreContext, 'db' | 'clock'>) {
    this.#context = context;
    this.#texts = context.db.cache('settings');
  }

  get(key: string): Json | undefined {
    const text = this.#texts.get(key, () =>
      this.#context.db.value<string>('SELECT value FROM settings WHERE key = ?', key),
    );
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  }

  set(key: string, value: Json): void {
    this.#context.db.write(() =>
      this.#context.db.run(
        `INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
        key,
        JSON.stringify(value),
        this.#context.clock.now(),
      ),
    );
  }

  remove(key: string): void {
    const { db } = this.#context;
    db.write(() => db.run('DELETE FROM settings WHERE key = ?', key));
  }
}
