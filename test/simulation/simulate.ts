// Carries out a plan, lets the devices meet, and looks whether every promise held.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import { divergences, isAtRest, problemsOf } from '#test/simulation/check.ts';
import { createSimulatedClock } from '#main/testing/simulated-clock.ts';
import { Device, type Surroundings } from '#test/simulation/simulated-device.ts';
import { createInlineSandbox } from '#test/simulation/inline-sandbox.ts';
import { Network } from '#test/simulation/simulated-network.ts';
import {
  WORKFLOWS,
  type Answer,
  type Plan,
  type Step,
  type WorkflowName,
} from '#test/simulation/plan.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { World } from '#test/simulation/simulated-world.ts';
import { eventId, topicId } from '#shared/ids.ts';
import { unreachable } from '#shared/rejection.ts';

export interface Totals {
  readonly devices: number;
  readonly steps: number;
  readonly frames: number;
  readonly effects: number;
  /** Effects that happened more than once, because a person forced it or said so. */
  readonly repeated: number;
  readonly incidents: number;
  readonly crashes: number;
}

export interface Result {
  readonly problems: readonly string[];
  readonly totals: Totals;
}

/** Turns without anything happening, after which nothing will by itself. */
const QUIET_TURNS = 4;
const MAX_TURNS = 5000;
/** Rounds in which people settle what is open, at the end. */
const SETTLING_ROUNDS = 40;
/** Copies included. */
const MAX_DEVICES = 8;
const ROUND_MS = 15 * 60_000;

const sandbox = createInlineSandbox();
let template: string | undefined;

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
  readonly #world = new World((ms) => this.#clock.sleep(ms));
  readonly #around: Surroundings;
  readonly #devices: Device[] = [];
  readonly #workflowIds = new Map<WorkflowName, string>();
  readonly #spokenFor = new Set<string>();
  readonly #forced = new Set<string>();
  readonly #problems: string[] = [];
  #stirred = 0;
  #crashes = 0;
  #requests = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const random = createRandom(plan.seed ^ 0x5eed);
    this.#network = new Network(this.#clock, createRandom(plan.seed ^ 0x0ff));
    this.#around = {
      folder: mkdtempSync(join(tmpdir(), 'holdfast-sim-')),
      clock: this.#clock,
      random,
      world: this.#world,
      sandbox,
      stir: () => {
        this.#stirred += 1;
      },
    };
  }

  async run(): Promise<Result> {
    for (let index = 0; index < this.#plan.devices; index += 1) this.#addDevice(emptyDatabase());
    await this.#addWorkflows();
    await this.#pass(5000);
    for (const step of this.#plan.steps) {
      await this.#carryOut(step);
      await this.#settle();
    }
    await this.#comeTogether();
    const problems = [
      ...this.#problems,
      ...problemsOf(this.#devices, {
        world: this.#world,
        spokenFor: this.#spokenFor,
        forced: this.#forced,
      }),
    ];
    const totals = this.#totals();
    return { problems: [...problems, ...(await this.#archive())], totals };
  }

  close(): void {
    for (const device of this.#devices) device.close();
    rmSync(this.#around.folder, { recursive: true, force: true });
  }

  #addDevice(from: string): void {
    const device = new Device(`device-${this.#devices.length + 1}`, from, this.#around);
    device.onCrash = () => {
      this.#crashes += 1;
      this.#network.leave(device.name);
    };
    this.#devices.push(device);
    this.#start(device);
  }

  #start(device: Device): void {
    if (device.isAlive) return;
    device.start();
    for (const id of this.#workflowIds.values()) device.life.stores.grants.set(id, 'world', {});
    this.#network.join(device);
  }

  async #addWorkflows(): Promise<void> {
    const [first] = this.#devices as [Device];
    for (const name of WORKFLOWS) {
      this.#workflowIds.set(name, await first.addWorkflow(name, sourceOf(name)));
    }
    for (const device of this.#devices) {
      for (const id of this.#workflowIds.values()) device.life.stores.grants.set(id, 'world', {});
    }
  }

  async #carryOut(step: Step): Promise<void> {
    switch (step.type) {
      case 'pass':
        return this.#pass(step.ms);
      case 'publish':
        return this.#publish(this.#device(step.device), step.workflow, step.id);
      case 'fault':
        return this.#world.failNext(step.fault);
      case 'cut':
      case 'heal':
        return this.#network[step.type](this.#name(step.a), this.#name(step.b));
      case 'split':
        return this.#split(step.group);
      case 'heal_all':
        return this.#network.healAll();
      case 'crash':
        return this.#device(step.device).crashAfter(step.at);
      case 'restart':
        return this.#start(this.#device(step.device));
      case 'skew':
        return this.#device(step.device).setSkew(step.ms);
      case 'take_over':
        return this.#takeOver(this.#device(step.device), step.workflow);
      case 'hand_over':
        return this.#handOver(step.workflow, this.#name(step.to));
      case 'resolve':
        return this.#resolve(this.#device(step.device), step.as);
      case 'pause':
      case 'resume':
        return this.#ask(this.#device(step.device), step.type, step.workflow);
      case 'older':
      case 'newer':
        return this.#setOlder(this.#device(step.device), step.type === 'older');
      case 'copy':
        return this.#copy(this.#device(step.device));
      default:
        return unreachable(step);
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

  #publish(device: Device, workflow: WorkflowName, id: string): void {
    if (!device.isAlive) return;
    const workflowId = this.#workflowIds.get(workflow) as string;
    const event = { workflowId, topic: 'in', messageId: id, title: id, payload: { id } };
    // A crash may come before it is written: then it was never published.
    device.life.engine.publish(event).catch((error: unknown) => {
      if (device.isAlive) throw error;
    });
  }

  /** A person at this device settles the first question that it shows. */
  #resolve(device: Device, as: Answer): void {
    if (!device.isAlive) return;
    const { stores, engine } = device.life;
    const open = stores.mutations
      .byStatus('indeterminate')
      .find(({ state }) => !('resolved' in state));
    if (!open?.call) return;
    const effectId = open.call.idempotencyKey;
    const isThere = this.#world.timesOf(effectId) > 0;
    // Who looks too early sees nothing: a truthful person waits.
    if (as === 'truth' && this.#world.isUnderWay(effectId)) return;
    const said = as === 'truth' ? (isThere ? 'happened' : 'did_not_happen') : as;
    const isKnown = !this.#world.isUnderWay(effectId);
    const isTrue =
      said === 'skip' || (isKnown && said === (isThere ? 'happened' : 'did_not_happen'));
    if (!isTrue) this.#spokenFor.add(effectId);
    this.#requests += 1;
    engine.resolve(`resolution-${this.#requests}`, {
      mutationId: open.id,
      workflowId: open.workflowId,
      resolution: RESOLUTION_OF[said],
      result: said === 'happened' ? { said } : undefined,
    });
  }

  /** A person's act: it forces a second owner where the first is not heard of. */
  #takeOver(device: Device, workflow: WorkflowName): void {
    if (!device.isAlive) return;
    const workflowId = this.#workflowIds.get(workflow) as string;
    if (!device.life.stores.workflows.get(workflowId)) return;
    if (device.life.engine.takeOver(workflowId) !== null) this.#forced.add(workflowId);
  }

  #handOver(workflow: WorkflowName, to: string): void {
    const workflowId = this.#workflowIds.get(workflow) as string;
    const owner = this.#devices.find((one) => one.isAlive && one.life.engine.owns(workflowId));
    const epoch = owner?.life.stores.ownership.epoch(workflowId);
    if (!owner || epoch === null || epoch === undefined) return;
    this.#requests += 1;
    const wish = { kind: 'handover', toDeviceId: to, epoch } as const;
    owner.life.engine.ask(workflowId, wish, `intent-${this.#requests}`);
  }

  #ask(device: Device, what: 'pause' | 'resume', workflow: WorkflowName): void {
    const workflowId = this.#workflowIds.get(workflow) as string;
    if (!device.isAlive || !device.life.stores.workflows.get(workflowId)) return;
    this.#requests += 1;
    const wish = what === 'pause' ? ({ kind: what, reason: 'a person' } as const) : { kind: what };
    device.life.engine.ask(workflowId, wish, `intent-${this.#requests}`);
  }

  #setOlder(device: Device, isOlder: boolean): void {
    device.setOlder(isOlder);
    if (!device.isAlive) return;
    // Another version is another start.
    device.crash();
    this.#start(device);
  }

  #copy(device: Device): void {
    if (this.#devices.length >= MAX_DEVICES) return;
    const wasAlive = device.isAlive;
    device.crash();
    this.#addDevice(device.path);
    if (wasAlive) this.#start(device);
  }

  /** Until nothing happens any more by itself at this instant. */
  async #settle(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; quiet < QUIET_TURNS; turns += 1) {
      const before = this.#stirred + this.#network.frames;
      await turn();
      quiet = this.#stirred + this.#network.frames === before ? quiet + 1 : 0;
      if (turns > MAX_TURNS) {
        this.#problems.push('it never came to rest');
        return;
      }
    }
  }

  #pass(ms: number): Promise<void> {
    return this.#clock.pass(ms, () => this.#settle());
  }

  /** The network is whole, everybody is there, and truthful people settle what is open. */
  async #comeTogether(): Promise<void> {
    this.#network.healAll();
    for (const device of this.#devices) {
      device.setSkew(0);
      device.disarm();
      device.setOlder(false);
      device.crash();
      this.#start(device);
    }
    await this.#pass(60_000);
    for (let round = 0; round < SETTLING_ROUNDS && !this.#isAtRest(); round += 1) {
      this.#settleTruthfully();
      await this.#pass(ROUND_MS);
    }
  }

  #settleTruthfully(): void {
    const [person] = this.#devices as [Device];
    this.#resolve(person, 'truth');
    for (const workflow of WORKFLOWS) this.#ask(person, 'resume', workflow);
  }

  /** Everything that is done with leaves; then all is published once more, everywhere. */
  async #archive(): Promise<string[]> {
    for (const { life } of this.#devices) {
      const { stores, engine } = life;
      for (const id of [...this.#workflowIds.values()].filter((one) => engine.owns(one))) {
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
          this.#publish(device, step.workflow, step.id);
        }
      }
    }
    await this.#pass(60_000);
    const more = this.#world.happened.length - happened;
    if (more > 0) problems.push(`${more} effects were made again after their events were archived`);
    return [...problems, ...divergences(this.#devices)];
  }

  /** A device that was down, or did not know the workflow, published nothing. */
  #isPublished({ workflow, id }: Extract<Step, { type: 'publish' }>): boolean {
    const { db } = (this.#devices[0] as Device).life;
    const topic = topicId(this.#workflowIds.get(workflow) as string, 'in');
    const known = db.value('SELECT 1 FROM events__crsql_pks WHERE id = ?', eventId(topic, id));
    return known !== undefined;
  }

  #isAtRest(): boolean {
    return this.#devices.every((device) => isAtRest(device));
  }

  #totals(): Totals {
    const [first] = this.#devices as [Device];
    const times = new Map<string, number>();
    for (const { effectId } of this.#world.happened)
      times.set(effectId, (times.get(effectId) ?? 0) + 1);
    return {
      devices: this.#devices.length,
      steps: this.#plan.steps.length,
      frames: this.#network.frames,
      effects: times.size,
      repeated: [...times.values()].filter((count) => count > 1).length,
      incidents: first.life.db.value<number>('SELECT count(*) FROM incidents') ?? 0,
      crashes: this.#crashes,
    };
  }
}

const RESOLUTION_OF = {
  happened: 'user_assert_applied',
  did_not_happen: 'user_assert_failed',
  retry: 'user_retry',
  skip: 'user_skip',
} as const;

export function noTotals(): Totals {
  return { devices: 0, steps: 0, frames: 0, effects: 0, repeated: 0, incidents: 0, crashes: 0 };
}

export function sumOf(one: Totals, other: Totals): Totals {
  const names = Object.keys(one) as (keyof Totals)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Totals;
}

/** Migrated once; every device begins with a copy. */
function emptyDatabase(): string {
  if (template === undefined) {
    template = join(mkdtempSync(join(tmpdir(), 'holdfast-sim-')), 'empty.db');
    migrateFile(template);
    process.on('exit', () =>
      rmSync(join(template as string, '..'), { recursive: true, force: true }),
    );
  }
  return template;
}

function sourceOf(name: WorkflowName): string {
  const method = name === 'asks' ? 'post' : 'shout';
  return `import { workflow } from 'holdfast';

export default workflow({
  name: '${name}',
  uses: { world: {} },
  topics: ['in', 'out'],
  consumers: {
    act: {
      subscribes: ['in'],
      publishes: ['out'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : { reservations: [] };
      },
      async mutate(ctx, { data }) {
        await ctx.tools.world.${method}(data);
      },
      async next(ctx, prepared, outcome) {
        const [event] = prepared.reservations;
        await ctx.publish('out', { id: event.messageId, title: 'Done', payload: { status: outcome.status } });
      },
    },
  },
});
`;
}
