// One device of a simulation: a real database file with cr-sqlite, a real engine, and real sync sessions
// with the other devices. A crash closes the database between two commits; later writes of its engine
// fail. A power cut also takes what was not fsynced.
import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { ArtifactsInMemory } from '#main/engine/artifacts-in-memory.ts';
import { Engine } from '#main/engine/engine.ts';
import type { StartGate } from '#main/engine/start-gate.ts';
import { createSilentLog } from '#main/host/log.ts';
import { withGuardedTimers } from '#main/platform/guarded-timers.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import type { Link } from '#main/sync/link/link.ts';
import { Session } from '#main/sync/session/session.ts';
import { createSyncContext, type SyncContext } from '#main/sync/session/sync-context.ts';
import { NetworkWatch } from '#main/tools/outside-hosts/network-watch.ts';
import { hostSettings } from '#main/tools/outside-hosts/host-settings.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { createToolBox } from '#main/tools/tool-box.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { createUlidSource } from '#shared/ulid.ts';
import { TestNetwork } from '#main/testing/test-network.ts';
import { clockOf, type SimulatedClock } from '#main/testing/simulated-clock.ts';
import { DeviceMark } from '#test/simulation/device-mark.ts';
import { DeviceSleep } from '#test/simulation/device-sleep.ts';
import { LedgerMemory } from '#test/simulation/ledger-memory.ts';
import { SimulatedDisk } from '#test/simulation/simulated-disk.ts';
import type { Station } from '#test/simulation/simulated-network.ts';
import type { DatabaseFiles } from '#test/simulation/torn-files.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { World } from '#test/simulation/simulated-world.ts';

export const SPACE = 'space-1';

export interface SimulationContext {
  readonly folder: string;
  readonly clock: SimulatedClock;
  readonly random: Random;
  readonly world: World;
  readonly sandbox: Sandbox;
  /** Whether fsyncs and calls take time. Otherwise both end at once. */
  readonly isTimed: boolean;
  /** The names of all devices. Each is paired with all others. */
  readonly names: () => readonly string[];
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
  readonly gate: StartGate;
  readonly watch: NetworkWatch;
}

/** What happens to a device after some more steps of its engine. */
interface Planned {
  stepsLeft: number;
  readonly happen: () => void;
}

export class Device implements Station {
  readonly name: string;
  readonly path: string;
  readonly disk: SimulatedDisk;
  readonly memory: LedgerMemory;
  readonly #context: SimulationContext;
  readonly #sleep: DeviceSleep;
  readonly #mark: DeviceMark;
  /** How it reaches the outside. */
  readonly #outside = new TestNetwork(true);
  readonly #artifacts = new ArtifactsInMemory();
  #running: RunningDevice | undefined;
  #skewMs = 0;
  #isOlder = false;
  #planned: Planned[] = [];
  #saved: DatabaseFiles | undefined;
  onStop: () => void = () => undefined;
  onTimerError: (error: unknown) => void = () => undefined;

  /** `from`: the database to start with. */
  constructor(name: string, from: string, context: SimulationContext) {
    this.name = name;
    this.path = join(context.folder, `${name}.db`);
    this.#context = context;
    for (const suffix of ['', '-wal']) {
      if (existsSync(from + suffix)) copyFileSync(from + suffix, this.path + suffix);
    }
    this.#assignNewSiteId();
    const { clock, random } = context;
    this.#sleep = new DeviceSleep({ clock, stopsMonotonic: random.chance(50) });
    this.#mark = new DeviceMark(name, join(context.folder, `${name}-mark`));
    this.memory = new LedgerMemory(name, clock);
    this.disk = new SimulatedDisk({
      ...context,
      path: this.path,
      onFsync: (db) => this.memory.beginFsync(db),
    });
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get isAsleep(): boolean {
    return this.#sleep.isAsleep;
  }

  /** A person can use it. */
  get isAwake(): boolean {
    return this.isRunning && !this.isAsleep;
  }

  get running(): RunningDevice {
    if (!this.#running) throw new Error(`${this.name} is not running.`);
    return this.#running;
  }

  start(): void {
    const { clock: base, random, world, sandbox, onActivity } = this.#context;
    let db: Database | undefined;
    const isRunning = (): boolean => db !== undefined && this.#running?.db === db;
    const clock = withGuardedTimers(
      {
        ...clockOf(this.#sleep.clock(base), () => this.#skewMs, isRunning),
        monotonic: () => this.#sleep.monotonic(),
      },
      (error) => isRunning() && this.onTimerError(error),
    );
    db = new Database(this.path, { fsync: this.disk.fsyncFor(clock) });
    this.disk.opened(db);
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
      sandbox: this.#sleepingSandbox(sandbox),
      tools: createToolBox({
        tools: world.toolsFor({
          name: this.name,
          isRunning,
          network: this.#outside,
          sleep: this.#sleep,
          memory: this.memory,
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
        if (!isRunning()) throw new Error('The simulated process ended.');
      },
    });
    db.changes.subscribe(onActivity);
    const sync = createSyncContext({
      ...context,
      stores,
      log: createSilentLog(),
      yieldTurn: () => Promise.resolve(),
    });
    const peers = (): string[] => this.#context.names().filter((other) => other !== this.name);
    const gate = this.#mark.startGate(engine, peers);
    const library = new WorkflowLibrary(engine);
    const watch = new NetworkWatch({ hosts, clock, source: this.#outside });
    this.#running = { db, stores, engine, library, sync, gate, watch };
    gate.start();
    watch.start();
  }

  connected(link: Link): void {
    const { sync, gate } = this.running;
    const { schema } = sync;
    const older = { ...schema, version: schema.version - 1, fingerprint: '0'.repeat(64) };
    const spoken = this.#isOlder ? older : schema;
    new Session(
      { ...sync, schema: spoken },
      this.#sleep.link(link),
      (state) => gate.session(link.peerId, state),
      () => undefined,
      (had) => gate.peerKnowsMore(link.peerId, had),
    ).start();
  }

  setSkew(ms: number): void {
    this.#skewMs = ms;
  }

  setOlder(isOlder: boolean): void {
    this.#isOlder = isOlder;
  }

  jump(ms: number): void {
    this.#skewMs += ms;
  }

  setOnline(isOnline: boolean): void {
    this.#outside.setOnline(isOnline);
  }

  /** After `steps` more steps of the engine; 0: immediately. */
  plan(steps: number, happen: () => void): void {
    if (steps === 0) happen();
    else this.#planned.push({ stepsLeft: steps, happen });
  }

  cancelPlanned(): void {
    this.#planned = [];
  }

  crash(): void {
    if (this.#running) this.#stop(() => this.disk.endProcess());
  }

  /** It could not start. */
  abandon(): void {
    this.#stop(() => this.disk.endProcess());
  }

  cutPower(): void {
    this.#stop(() => this.disk.cutPower(this.#context.random));
  }

  fallAsleep(): void {
    if (this.#running) this.#sleep.fallAsleep();
  }

  wakeUp(): void {
    this.#sleep.wakeUp();
  }

  /** Identifies one sleep: a device that woke and sleeps again is in another. */
  get sleepCount(): number {
    return this.#sleep.count;
  }

  /** Keeps a copy of the files as they are now. */
  save(): void {
    this.#saved = this.disk.files();
    this.#mark.save();
  }

  /** Whether there is a copy to go back to. The device is stopped then. */
  goBack(what: 'database' | 'machine'): boolean {
    const saved = this.#saved;
    if (!saved) return false;
    if (what === 'database') this.#quit();
    this.#stop(() => this.disk.endProcess());
    this.disk.restore(saved);
    if (what === 'machine') this.#mark.restore();
    this.memory.forget();
    return true;
  }

  /** Cleanly, if nothing is under way. */
  #quit(): void {
    if (!this.#running) return;
    const { engine, stores } = this.#running;
    const isBusy = stores.workflows.ids().some((id) => engine.isBusy(id));
    if (engine.isStarted && !isBusy) this.#mark.quit(stores.lineages);
  }

  #stop(end: () => void): void {
    const wasRunning = this.#running !== undefined;
    this.#running?.watch.stop();
    this.#running = undefined;
    this.#planned = [];
    this.#sleep.forget();
    end();
    if (wasRunning) this.onStop();
  }

  hasEvent(id: string): boolean {
    const sql = 'SELECT 1 FROM events WHERE id = ?';
    if (this.#running) return this.#running.db.value(sql, id) !== undefined;
    const db = new Database(this.path);
    const found = db.value(sql, id) !== undefined;
    db.close();
    return found;
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
    const due: Planned[] = [];
    for (const planned of this.#planned) {
      planned.stepsLeft -= 1;
      if (planned.stepsLeft === 0) due.push(planned);
    }
    this.#planned = this.#planned.filter((planned) => !due.includes(planned));
    for (const { happen } of due) happen();
  }

  #sleepingSandbox(sandbox: Sandbox): Sandbox {
    return {
      ...sandbox,
      run: async (request, onCalls) => {
        await this.#sleep.awake();
        const result = await sandbox.run(request, onCalls);
        await this.#sleep.awake();
        return result;
      },
    };
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
