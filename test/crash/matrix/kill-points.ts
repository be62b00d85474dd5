// Counts where a host process comes by, and ends it, as a power cut would, at the chosen place.
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Database } from '#main/store/sqlite/database.ts';
import type { KillPoint } from '#test/crash/matrix/cell.ts';

const BESIDE = /^(?:ingress|enrich|execute_input|completion):/;

export class KillPoints {
  readonly passed: { [point: string]: number } = {};
  /** Commits that had been made when a point was passed for the nth time. */
  readonly commitsAt: { [pointAndNth: string]: number } = {};
  readonly #kill: KillPoint | null;
  #isSending = false;
  #lastStep = 'start';

  constructor(kill: KillPoint | null) {
    this.#kill = kill;
  }

  /** A step of the engine, or of the stages of inputs, which go on beside it. */
  step(point: string): void {
    if (BESIDE.test(point)) return this.reach(point);
    this.#lastStep = point;
    this.#isSending = point === 'send:before';
    this.reach(point);
  }

  reach(point: string): void {
    const times = (this.passed[point] ?? 0) + 1;
    this.passed[point] = times;
    this.commitsAt[`${point}#${times}`] = this.passed['store:after'] ?? 0;
    if (point === this.#kill?.point && times === this.#kill.nth) {
      process.kill(process.pid, 'SIGKILL');
    }
  }

  /** Every commit of every transaction, whoever makes it. */
  watchStore(): void {
    const prepare = Database.prototype.prepare;
    const committed = (): void => {
      this.reach('store:after');
      // The same commit by the step that it follows: `commit:before>store` ends a run.
      this.reach(`${this.#lastStep}>store`);
    };
    const commits = (): void => this.reach('store:before');
    Database.prototype.prepare = function watched(sql) {
      const statement = prepare.call(this, sql);
      if (sql !== 'COMMIT') return statement;
      const run = (): ReturnType<typeof statement.run> => {
        commits();
        const result = statement.run();
        committed();
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
