// Runs a plan, reconnects all devices, and checks the promises.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  divergences,
  hasNoOpenWork,
  isByPerson,
  pausedByThemselves,
  problemsOf,
  type WentBack,
} from '#test/simulation/check.ts';
import { FAULTS, type Fault } from '#test/simulation/courses.ts';
import { createSimulatedClock } from '#main/testing/simulated-clock.ts';
import { Device, type SimulationContext } from '#test/simulation/simulated-device.ts';
import { isDiskFailure } from '#test/simulation/simulated-disk.ts';
import { createInlineSandbox } from '#test/simulation/inline-sandbox.ts';
import { Network } from '#test/simulation/simulated-network.ts';
import { People } from '#test/simulation/people.ts';
import type { Plan, Step } from '#test/simulation/plan.ts';
import { sourceOf, WORKFLOWS } from '#test/simulation/simulated-workflows.ts';
import { NO_TOTALS, type Counted, type Totals } from '#test/simulation/totals.ts';
import { migratedTemplate } from '#test/support/migrated-database.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { World } from '#test/simulation/simulated-world.ts';
import { eventId, topicId } from '#shared/ids.ts';
import { unreachable } from '#shared/rejection.ts';

export interface Result {
  readonly problems: readonly string[];
  readonly totals: Totals;
}

/** Turns of the event loop without activity after which the devices count as idle. */
const QUIET_TURNS = 4;
const MAX_TURNS = 5000;
/** Rounds at the end in which a person settles unknown outcomes. */
const SETTLING_ROUNDS = 40;
/** Including copies. */
const MAX_DEVICES = 8;
const ROUND_MS = 15 * 60_000;

const sandbox = createInlineSandbox();

type Harm = Extract<
  Step,
  {
    type:
      | 'crash'
      | 'power_cut'
      | 'sleep'
      | 'jump'
      | 'fsync_fails'
      | 'disk_full'
      | 'offline'
      | 'save'
      | 'go_back'
      | 'disk_lies';
  }
>;

/** Fsyncs of a file in memory take no time. */
function folderInMemory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

function sentEffects({ running: { db } }: Device): string[] {
  return db.values(
    `SELECT id FROM mutations WHERE idempotency_key IS NOT NULL AND status <> 'pending'`,
  );
}

function isPlain(fault: Fault): boolean {
  return (FAULTS as readonly Fault[]).includes(fault);
}

export async function simulate(plan: Plan): Promise<Result> {
  const simulation = new Simulation(plan);
  try {
    return await simulation.run();
  } finally {
    simulation.close();
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #clock = createSimulatedClock();
  readonly #network: Network;
  readonly #world: World;
  readonly #people: People;
  readonly #context: SimulationContext;
  readonly #devices: Device[] = [];
  readonly #wentBack: WentBack[] = [];
  readonly #problems: string[] = [];
  readonly #counts = { ...NO_TOTALS };
  #activity = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const random = createRandom(plan.seed ^ 0x5eed);
    const isTimed = plan.isInstant !== true;
    const worldRandom = createRandom(plan.seed ^ 0xac7);
    this.#world = new World({ clock: this.#clock, random: worldRandom, isTimed });
    this.#people = new People(this.#world);
    this.#network = new Network(this.#clock, createRandom(plan.seed ^ 0x0ff));
    this.#context = {
      folder: mkdtempSync(join(folderInMemory(), 'holdfast-sim-')),
      clock: this.#clock,
      random,
      world: this.#world,
      sandbox,
      isTimed,
      names: () => this.#devices.map(({ name }) => name),
      onActivity: () => {
        this.#activity += 1;
      },
    };
  }

  async run(): Promise<Result> {
    for (let index = 0; index < this.#plan.devices; index += 1) this.#addDevice(migratedTemplate());
    await this.#addWorkflows();
    await this.#pass(5000);
    for (const step of this.#plan.steps) {
      await this.#perform(step);
      await this.#settle();
    }
    await this.#reunite();
    const problems = [
      ...this.#problems,
      ...problemsOf(this.#devices, {
        world: this.#world,
        statements: this.#people.statements,
        forced: this.#people.forced,
        published: this.#people.published,
        wentBack: this.#wentBack,
      }),
    ];
    const totals = this.#totals();
    return { problems: [...problems, ...(await this.#archive())], totals };
  }

  close(): void {
    for (const device of this.#devices) device.close();
    rmSync(this.#context.folder, { recursive: true, force: true });
  }

  #addDevice(from: string): void {
    const device = new Device(`device-${this.#devices.length + 1}`, from, this.#context);
    device.onStop = () => this.#network.leave(device.name);
    device.onTimerError = (error) => {
      if (!isDiskFailure(error)) this.#problems.push(`a timer failed: ${String(error)}`);
    };
    this.#devices.push(device);
    this.#start(device);
  }

  #start(device: Device): void {
    if (device.isRunning) return;
    try {
      device.start();
      this.#grant(device);
    } catch (error) {
      if (!isDiskFailure(error)) throw error;
      device.abandon();
      return;
    }
    device.memory.compareWith(device.running.db);
    this.#network.join(device);
  }

  async #addWorkflows(): Promise<void> {
    const [first] = this.#devices as [Device];
    for (const name of WORKFLOWS) {
      this.#people.workflowIds.set(name, await first.addWorkflow(name, sourceOf(name)));
    }
    for (const device of this.#devices) this.#grant(device);
  }

  #grant({ running }: Device): void {
    for (const id of this.#people.workflowIds.values()) running.stores.grants.set(id, 'world', {});
  }

  async #perform(step: Step): Promise<void> {
    switch (step.type) {
      case 'pass':
        return this.#pass(step.ms);
      case 'publish':
        if (!this.#device(step.device).isAwake) return;
        return this.#people.publish(this.#device(step.device), step.workflow, step.id);
      case 'fault':
        if (!isPlain(step.fault)) this.#count('misled');
        return this.#world.failNext(step.fault, step.ms);
      case 'cut':
      case 'heal':
        return this.#network[step.type](this.#name(step.a), this.#name(step.b));
      case 'split':
        return this.#split(step.group);
      case 'heal_all':
        return this.#network.healAll();
      case 'restart':
        return this.#start(this.#device(step.device));
      case 'skew':
        return this.#device(step.device).setSkew(step.ms);
      case 'take_over':
        if (!this.#device(step.device).isAwake) return;
        return this.#people.takeOver(this.#device(step.device), step.workflow);
      case 'hand_over':
        return this.#people.handOver(this.#devices, step.workflow, this.#name(step.to));
      case 'resolve':
        if (!this.#device(step.device).isAwake) return;
        return this.#people.resolve(this.#device(step.device), step.as);
      case 'pause':
      case 'resume':
        if (!this.#device(step.device).isAwake) return;
        return this.#people.ask(this.#device(step.device), step.type, step.workflow);
      case 'older':
      case 'newer':
        return this.#setOlder(this.#device(step.device), step.type === 'older');
      case 'copy':
        return this.#copy(this.#device(step.device));
      default:
        return this.#harm(step);
    }
  }

  #harm(step: Harm): void {
    const device = this.#device(step.device);
    switch (step.type) {
      case 'crash':
        return device.plan(step.at, () => this.#stop(device, 'crash'));
      case 'power_cut':
        return device.plan(step.at, () => this.#stop(device, 'cutPower'));
      case 'sleep':
        return device.plan(step.at, () => this.#sleep(device, step.ms));
      case 'jump':
        return device.plan(step.at, () => {
          this.#count('jumps');
          device.jump(step.ms);
        });
      case 'fsync_fails':
        this.#count('diskFailures');
        return device.disk.failNext(step.count);
      case 'disk_full':
        this.#count('diskFailures');
        device.disk.setFull(true);
        return this.#later(step.ms, () => device.disk.setFull(false));
      case 'offline':
        return this.#goOffline(device, step.ms, step.alone);
      case 'save':
        return device.save();
      case 'go_back':
        return this.#goBack(device, step.what);
      case 'disk_lies':
        return device.disk.lie();
      default:
        return unreachable(step);
    }
  }

  #count(what: Counted): void {
    this.#counts[what] += 1;
  }

  #later(ms: number, act: () => void): void {
    this.#clock.wakeAt(this.#clock.now() + ms, act);
  }

  #stop(device: Device, how: 'crash' | 'cutPower'): void {
    // The power of a machine whose process has ended can fail too.
    if (device.isRunning || how === 'cutPower')
      this.#count(how === 'crash' ? 'crashes' : 'powerCuts');
    device[how]();
  }

  #sleep(device: Device, ms: number): void {
    if (!device.isAwake) return;
    this.#count('sleeps');
    device.fallAsleep();
    this.#network.fallAsleep(device.name);
    const { sleepCount } = device;
    this.#later(ms, () => {
      if (device.sleepCount === sleepCount) this.#wake(device);
    });
  }

  #wake(device: Device): void {
    if (!device.isAsleep) return;
    this.#network.wakeUp(device.name);
    device.wakeUp();
  }

  #goOffline(device: Device, ms: number, isAlone: boolean): void {
    this.#count('offline');
    device.setOnline(false);
    const others = this.#devices.filter((other) => other !== device);
    if (isAlone) for (const { name } of others) this.#network.cut(device.name, name);
    this.#later(ms, () => {
      device.setOnline(true);
      if (isAlone) for (const { name } of others) this.#network.heal(device.name, name);
    });
  }

  /** The database is an earlier copy of itself when the device starts again. */
  #goBack(device: Device, what: 'database' | 'machine'): void {
    const peers = this.#devices.filter(
      (other) => other.isAwake && this.#network.areConnected(device.name, other.name),
    );
    const ofPeers = peers.flatMap((peer) => sentEffects(peer));
    if (!device.goBack(what)) return;
    this.#count('wentBack');
    this.#start(device);
    const ofCopy = device.isRunning ? sentEffects(device) : [];
    const known = new Set([...ofPeers, ...ofCopy]);
    this.#wentBack.push({ device: device.name, at: this.#clock.now(), known });
    this.#forgetLostEvents();
  }

  /** An event that was only in the database that went back is lost. */
  #forgetLostEvents(): void {
    for (const id of this.#people.published) {
      const isKept = this.#devices.some((device) => device.hasEvent(id));
      if (!isKept) this.#people.published.delete(id);
    }
  }

  #device(index: number): Device {
    return this.#devices[index] as Device;
  }

  #name(index: number): string {
    return this.#device(index).name;
  }

  #split(group: readonly number[]): void {
    for (const [a, one] of this.#devices.entries()) {
      for (const [b, other] of this.#devices.entries()) {
        if (a < b && group.includes(a) !== group.includes(b))
          this.#network.cut(one.name, other.name);
      }
    }
  }

  #setOlder(device: Device, isOlder: boolean): void {
    device.setOlder(isOlder);
    if (!device.isRunning) return;
    // A change of version restarts the device.
    device.crash();
    this.#start(device);
  }

  #copy(device: Device): void {
    if (this.#devices.length >= MAX_DEVICES) return;
    const wasRunning = device.isRunning;
    device.crash();
    this.#addDevice(device.path);
    if (wasRunning) this.#start(device);
  }

  /** Waits until all devices are idle at the current instant. */
  async #settle(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; quiet < QUIET_TURNS; turns += 1) {
      const before = this.#activity + this.#network.frames;
      await turn();
      quiet = this.#activity + this.#network.frames === before ? quiet + 1 : 0;
      if (turns > MAX_TURNS) {
        this.#problems.push('the devices never became idle');
        return;
      }
    }
  }

  #pass(ms: number): Promise<void> {
    return this.#clock.pass(ms, () => this.#settle());
  }

  /** Heals everything, restarts all devices, and lets a truthful person settle open outcomes. */
  async #reunite(): Promise<void> {
    this.#network.healAll();
    for (const device of this.#devices) this.#heal(device);
    await this.#pass(5000);
    for (const device of this.#devices) {
      device.crash();
      this.#start(device);
    }
    await this.#pass(60_000);
    this.#problems.push(...this.#devices.flatMap((device) => pausedByThemselves(device)));
    for (let round = 0; round < SETTLING_ROUNDS && !this.#isIdle(); round += 1) {
      this.#settleTruthfully();
      await this.#pass(ROUND_MS);
    }
  }

  #heal(device: Device): void {
    device.setSkew(0);
    device.cancelPlanned();
    device.setOlder(false);
    device.setOnline(true);
    device.disk.setFull(false);
    device.disk.failNext(0);
    this.#wake(device);
  }

  #settleTruthfully(): void {
    const [person] = this.#devices as [Device];
    this.#people.resolve(person, 'truth');
    for (const workflow of WORKFLOWS) {
      const { status, statusReason } =
        person.running.stores.workflows.get(this.#people.idOf(workflow)) ?? {};
      if (status === 'paused' && isByPerson(statusReason ?? null))
        this.#people.ask(person, 'resume', workflow);
    }
  }

  /** Archives all history, then publishes every event again on every device. */
  async #archive(): Promise<string[]> {
    for (const { running } of this.#devices) {
      const { stores, engine } = running;
      for (const id of [...this.#people.workflowIds.values()].filter((one) =>
        engine.ownership.owns(one),
      )) {
        for (const waiting of stores.events.unfinished(id)) {
          stores.events.move(waiting, { type: 'skip', reason: 'by_person' });
        }
        const cutoff = this.#clock.now() + 1;
        for (let after: string | null = ''; after !== null;) {
          after = stores.archivableHistory.archiveRuns(id, cutoff, after, 50).after;
        }
        while (stores.archivableHistory.archiveEvents(id, cutoff, 50) > 0);
        while (stores.archivableHistory.archiveSessions(id, cutoff, 50) > 0);
      }
    }
    await this.#pass(60_000);
    const problems = divergences(this.#devices);
    const happened = this.#world.happened.length;
    for (const device of this.#devices) {
      for (const step of this.#plan.steps) {
        if (step.type === 'publish' && this.#isPublished(step)) {
          this.#people.publish(device, step.workflow, step.id);
        }
      }
    }
    await this.#pass(60_000);
    const more = this.#world.happened.length - happened;
    if (more > 0) problems.push(`${more} effects were made again after their events were archived`);
    return [...problems, ...divergences(this.#devices)];
  }

  /** Whether any device published this event: one that was down or lacked the workflow did not. */
  #isPublished({ workflow, id }: Extract<Step, { type: 'publish' }>): boolean {
    const { db } = (this.#devices[0] as Device).running;
    const topic = topicId(this.#people.idOf(workflow), 'in');
    const known = db.value('SELECT 1 FROM events__crsql_pks WHERE id = ?', eventId(topic, id));
    return known !== undefined;
  }

  #isIdle(): boolean {
    return this.#devices.every((device) => hasNoOpenWork(device));
  }

  #totals(): Totals {
    const [first] = this.#devices as [Device];
    const times = new Map<string, number>();
    for (const { effectId } of this.#world.happened)
      times.set(effectId, (times.get(effectId) ?? 0) + 1);
    return {
      ...this.#counts,
      devices: this.#devices.length,
      steps: this.#plan.steps.length,
      frames: this.#network.frames,
      effects: times.size,
      repeated: [...times.values()].filter((count) => count > 1).length,
      incidents: first.running.db.value<number>('SELECT count(*) FROM incidents') ?? 0,
    };
  }
}
