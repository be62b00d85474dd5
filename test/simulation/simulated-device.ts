// One device of a simulation: a real database file with cr-sqlite, a real engine, and real sync sessions
// with the other devices. A crash closes the database between two commits; later writes of its engine
// fail.
import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { ArtifactsInMemory } from '#main/engine/artifacts-in-memory.ts';
import { Engine } from '#main/engine/engine.ts';
import { createSilentLog } from '#main/host/log.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import type { Link } from '#main/sync/link/link.ts';
import { Session } from '#main/sync/session/session.ts';
import { createSyncContext, type SyncContext } from '#main/sync/session/sync-context.ts';
import { hostSettings } from '#main/tools/outside-hosts/host-settings.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { createToolBox } from '#main/tools/tool-box.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { createUlidSource } from '#shared/ulid.ts';
import { clockOf, type SimulatedClock } from '#main/testing/simulated-clock.ts';
import type { Station } from '#test/simulation/simulated-network.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { World } from '#test/simulation/simulated-world.ts';

export const SPACE = 'space-1';

export interface SimulationContext {
  readonly folder: string;
  readonly clock: SimulatedClock;
  readonly random: Random;
  readonly world: World;
  readonly sandbox: Sandbox;
  /** Called whenever a device does something; the simulation waits until nothing does. */
  readonly onActivity: () => void;
}

/** The parts that end with the process. */
interface RunningDevice {
  readonly db: Database;
  readonly stores: Stores;
  readonly engine: Engine;
  readonly library: WorkflowLibrary;
  readonly sync: SyncContext;
}

export class Device implements Station {
  readonly name: string;
  readonly path: string;
  readonly #context: SimulationContext;
  readonly #artifacts = new ArtifactsInMemory();
  #running: RunningDevice | undefined;
  #skewMs = 0;
  #isOlder = false;
  /** Engine steps until the process crashes; null: no crash is planned. */
  #stepsToCrash: number | null = null;
  onCrash: () => void = () => undefined;

  /** `from`: the database to start with. */
  constructor(name: string, from: string, context: SimulationContext) {
    this.name = name;
    this.path = join(context.folder, `${name}.db`);
    this.#context = context;
    for (const suffix of ['', '-wal']) {
      if (existsSync(from + suffix)) copyFileSync(from + suffix, this.path + suffix);
    }
    this.#assignNewSiteId();
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get running(): RunningDevice {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }

  start(): void {
    const { clock: base, random, world, sandbox, onActivity } = this.#context;
    const db = new Database(this.path, { fsync: (done) => queueMicrotask(() => done(null)) });
    const isRunning = (): boolean => this.#running?.db === db;
    const clock = clockOf(base, () => this.#skewMs, isRunning);
    const ids = {
      ulid: createUlidSource(clock.now, (count) => random.bytes(count)),
      uuid: () => uuidFrom(random.bytes(16)),
    };
    const context = { db, clock, ids, deviceId: this.name, spaceId: SPACE };
    const stores = createStores(context);
    stores.lineages.open();
    const hosts = new OutsideHosts({ clock, random: () => random.next(), ...hostSettings(stores) });
    const engine = new Engine({
      stores,
      artifacts: this.#artifacts,
      store: context,
      sandbox,
      tools: createToolBox({
        tools: world.toolsFor({
          name: this.name,
          isRunning,
          mutationInFlight: (effectId) =>
            db.value<string>(
              `SELECT id FROM mutations WHERE idempotency_key = ? AND status = 'in_flight'`,
              effectId,
            ),
        }),
        secret: async () => 'secret',
        masker: createMasker(),
        clock,
        hosts,
        signal: new AbortController().signal,
      }),
      hosts,
      log: createSilentLog(),
      random: () => random.next(),
      probe: () => {
        onActivity();
        if (isRunning()) this.#countStep();
      },
    });
    db.changes.subscribe(onActivity);
    const sync = createSyncContext({
      ...context,
      stores,
      log: createSilentLog(),
      yieldTurn: () => Promise.resolve(),
    });
    this.#running = { db, stores, engine, library: new WorkflowLibrary(engine), sync };
    engine.start();
  }

  connected(link: Link): void {
    const { sync } = this.running;
    const { schema } = sync;
    const older = { ...schema, version: schema.version - 1, fingerprint: '0'.repeat(64) };
    const spoken = this.#isOlder ? older : schema;
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

  cancelPlannedCrash(): void {
    this.#stepsToCrash = null;
  }

  crash(): void {
    if (!this.#running) return;
    const { db } = this.#running;
    this.#running = undefined;
    this.#stepsToCrash = null;
    db.close();
    this.onCrash();
  }

  /** Stops the device and deletes its database. */
  close(): void {
    this.crash();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.path + suffix, { force: true });
  }

  async addWorkflow(name: string, source: string): Promise<string> {
    const path = join(this.#context.folder, `${name}.ts`);
    writeFileSync(path, source);
    const { workflowId } = await this.running.library.add(path);
    return workflowId;
  }

  #countStep(): void {
    if (this.#stepsToCrash === null) return;
    this.#stepsToCrash -= 1;
    if (this.#stepsToCrash > 0) return;
    this.crash();
    throw new Error('The simulated process crashed.');
  }

  /** Two databases must not write under the same site id, so a copy gets a new one. */
  #assignNewSiteId(): void {
    const db = new Database(this.path);
    const site = Buffer.from(this.#context.random.bytes(16));
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
