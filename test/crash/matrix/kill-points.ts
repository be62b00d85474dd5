// Counts the points that a host process passes, and kills the process at the chosen one.
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Database } from '#main/store/sqlite/database.ts';
import type { KillPoint } from '#test/crash/matrix/cell.ts';

/** Stages of inputs run concurrently with the engine, so they are not its last step. */
const STAGE_POINT = /^(?:ingress|enrich|execute_input|completion):/;

export class KillPoints {
  readonly passed: { [point: string]: number } = {};
  /** Number of commits when a point was passed for the nth time. */
  readonly commitsAt: { [pointAndNth: string]: number } = {};
  readonly #kill: KillPoint | null;
  readonly #passing: (point: string) => void;
  #isSending = false;
  #lastStep = 'start';

  /** `passing` is told of each point. */
  constructor(kill: KillPoint | null, passing: (point: string) => void = () => undefined) {
    this.#kill = kill;
    this.#passing = passing;
  }

  /** A step of the engine or of a stage of an input. */
  step(point: string): void {
    if (STAGE_POINT.test(point)) return this.reach(point);
    this.#lastStep = point;
    this.#isSending = point === 'send:before';
    this.reach(point);
  }

  reach(point: string): void {
    const times = (this.passed[point] ?? 0) + 1;
    this.passed[point] = times;
    this.commitsAt[`${point}#${times}`] = this.passed['store:after'] ?? 0;
    this.#passing(`${point}#${times}`);
    if (point === this.#kill?.point && times === this.#kill.nth) {
      process.kill(process.pid, 'SIGKILL');
    }
  }

  /** Counts every commit of the database. */
  watchStore(): void {
    const prepare = Database.prototype.prepare;
    const committed = (): void => {
      this.reach('store:after');
      // Also by the step it follows: `commit:before>store` is the commit that ends a run.
      this.reach(`${this.#lastStep}>store`);
    };
    const committing = (): void => this.reach('store:before');
    Database.prototype.prepare = function watched(sql) {
      const statement = prepare.call(this, sql);
      if (sql !== 'COMMIT') return statement;
      const run = (): ReturnType<typeof statement.run> => {
        committing();
        const result = statement.run();
        committed();
        return result;
      };
      return { run } as unknown as typeof statement;
    };
  }

  /** Counts the file operations of a tool while it makes an effect. */
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
