// One device of a simulation: a real database file with real cr-sqlite, a real engine, real
// sessions with the others. A crash closes the file between two commits, which is where a process
// can die; what its engine still wants to do then fails on it.
import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { Engine } from '#main/engine/engine.ts';
import { createSilentLog } from '#main/host/log.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import type { Link } from '#main/sync/link/link.ts';
import { Session } from '#main/sync/session/session.ts';
import { createSyncContext, type SyncContext } from '#main/sync/session/sync-context.ts';
import { createToolBox } from '#main/tools/tool-box.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { createUlidSource } from '#shared/ulid.ts';
import { clockOf, type SimulatedClock } from '#main/testing/simulated-clock.ts';
import type { Station } from '#test/simulation/simulated-network.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { World } from '#test/simulation/simulated-world.ts';

export const SPACE = 'space-1';

export interface Surroundings {
  readonly folder: string;
  readonly clock: SimulatedClock;
  readonly random: Random;
  readonly world: World;
  readonly sandbox: Sandbox;
  /** Something happened: whoever waits for silence waits on. */
  readonly stir: () => void;
}

/** What lives and dies with the process. */
interface Life {
  readonly db: Database;
  readonly stores: Stores;
  readonly engine: Engine;
  readonly library: WorkflowLibrary;
  readonly sync: SyncContext;
}

export class Device implements Station {
  readonly name: string;
  readonly path: string;
  readonly #around: Surroundings;
  #life: Life | undefined;
  #skewMs = 0;
  #isOlder = false;
  /** Durable steps until the plug is pulled; null: it is not. */
  #stepsToCrash: number | null = null;
  onCrash: () => void = () => undefined;

  /** `from`: a database to begin with. */
  constructor(name: string, from: string, around: Surroundings) {
    this.name = name;
    this.path = join(around.folder, `${name}.db`);
    this.#around = around;
    for (const suffix of ['', '-wal']) {
      if (existsSync(from + suffix)) copyFileSync(from + suffix, this.path + suffix);
    }
    this.#becomeAnother();
  }

  get isAlive(): boolean {
    return this.#life !== undefined;
  }

  get life(): Life {
    if (!this.#life) throw new Error(`${this.name} is dead.`);
    return this.#life;
  }

  get now(): number {
    return this.#around.clock.now() + this.#skewMs;
  }

  start(): void {
    const { clock: base, random, world, sandbox, stir } = this.#around;
    const db = new Database(this.path, { fsync: (done) => queueMicrotask(() => done(null)) });
    const isAlive = (): boolean => this.#life?.db === db;
    const clock = clockOf(base, () => this.#skewMs, isAlive);
    const ids = {
      ulid: createUlidSource(clock.now, (count) => random.bytes(count)),
      uuid: () => uuidFrom(random.bytes(16)),
    };
    const context = { db, clock, ids, deviceId: this.name, spaceId: SPACE };
    const stores = createStores(context);
    stores.lineages.open();
    const engine = new Engine({
      stores,
      store: context,
      sandbox,
      tools: createToolBox({
        tools: world.toolsFor(this.name, isAlive),
        secret: async () => 'secret',
        masker: createMasker(),
        clock,
        signal: new AbortController().signal,
      }),
      log: createSilentLog(),
      random: () => random.next(),
      probe: () => {
        stir();
        if (isAlive()) this.#mayCrash();
      },
    });
    db.changes.subscribe(stir);
    const sync = createSyncContext({
      ...context,
      stores,
      log: createSilentLog(),
      breathe: () => Promise.resolve(),
    });
    this.#life = { db, stores, engine, library: new WorkflowLibrary(engine), sync };
    engine.start();
  }

  connected(link: Link): void {
    const { sync } = this.life;
    const { schema } = sync;
    const spoken = this.#isOlder ? { ...schema, version: schema.version - 1 } : schema;
    new Session({ ...sync, schema: spoken }, link).start();
  }

  setSkew(ms: number): void {
    this.#skewMs = ms;
  }

  setOlder(isOlder: boolean): void {
    this.#isOlder = isOlder;
  }

  crashAfter(steps: number): void {
    this.#stepsToCrash = steps;
    if (steps === 0) this.crash();
  }

  /** The plug stays in. */
  disarm(): void {
    this.#stepsToCrash = null;
  }

  crash(): void {
    if (!this.#life) return;
    const { db } = this.#life;
    this.#life = undefined;
    this.#stepsToCrash = null;
    db.close();
    this.onCrash();
  }

  /** Ends for good. */
  close(): void {
    this.crash();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.path + suffix, { force: true });
  }

  async addWorkflow(name: string, source: string): Promise<string> {
    const path = join(this.#around.folder, `${name}.ts`);
    writeFileSync(path, source);
    const { workflowId } = await this.life.library.add(path);
    return workflowId;
  }

  #mayCrash(): void {
    if (this.#stepsToCrash === null) return;
    this.#stepsToCrash -= 1;
    if (this.#stepsToCrash > 0) return;
    this.crash();
    throw new Error('The plug was pulled.');
  }

  /** As a new or copied folder does when it is opened: nobody writes under another's identity. */
  #becomeAnother(): void {
    const db = new Database(this.path);
    const site = Buffer.from(this.#around.random.bytes(16));
    db.run('UPDATE crsql_site_id SET site_id = ? WHERE ordinal = 0', site);
    db.close();
  }
}

function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20)].join('-');
}
