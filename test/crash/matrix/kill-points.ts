// Counts where a host process comes by, and ends it, as a power cut would, at the chosen place.
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Database } from '#main/store/database.ts';
import type { KillPoint } from '#test/crash/matrix/cell.ts';

export class KillPoints {
  readonly passed: { [point: string]: number } = {};
  readonly #kill: KillPoint | null;
  #isSending = false;

  constructor(kill: KillPoint | null) {
    this.#kill = kill;
  }

  reach(point: string): void {
    const times = (this.passed[point] ?? 0) + 1;
    this.passed[point] = times;
    if (point === this.#kill?.point && times === this.#kill.nth) {
      process.kill(process.pid, 'SIGKILL');
    }
    if (point.startsWith('send:')) this.#isSending = point === 'send:before';
  }

  /** Every commit of every transaction, whoever makes it. */
  watchStore(): void {
    const prepare = Database.prototype.prepare;
    const reach = this.reach.bind(this);
    Database.prototype.prepare = function watched(sql) {
      const statement = prepare.call(this, sql);
      if (sql !== 'COMMIT') return statement;
      const run = (): ReturnType<typeof statement.run> => {
        reach('store:before');
        const result = statement.run();
        reach('store:after');
        return result;
      };
      return { run } as unknown as typeof statement;
    };
  }

  /** The file operations of a tool while it makes an effect. */
  async watchFiles(): Promise<void> {
    for (const name of ['open', 'rename', 'link', 'unlink'] as const) this.#wrap(fs, name);
    syncBuiltinESMExports();
    const handle = await fs.open(process.execPath);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    for (const name of ['write', 'writeFile', 'sync'] as const) this.#wrap(prototype, name);
  }

  #wrap<Name extends string>(owner: { [name in Name]: unknown }, name: Name): void {
    const original = owner[name] as (...args: unknown[]) => Promise<unknown>;
    const step = (moment: string): void => {
      if (this.#isSending) this.reach(`fs.${name}:${moment}`);
    };
    owner[name] = async function watched(this: unknown, ...args: unknown[]): Promise<unknown> {
      step('before');
      const result = await original.apply(this, args);
      step('after');
      return result;
    };
  }
}
