// Runs a plan, reconnects all devices, and checks the promises.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { divergences, hasNoOpenWork, problemsOf } from '#test/simulation/check.ts';
import { createSimulatedClock } from '#main/testing/simulated-clock.ts';
import { Device, type SimulationContext } from '#test/simulation/simulated-device.ts';
import { createInlineSandbox } from '#test/simulation/inline-sandbox.ts';
import { Network } from '#test/simulation/simulated-network.ts';
import {
  WORKFLOWS,
  type Answer,
  type Plan,
  type Step,
  type WorkflowName,
} from '#test/simulation/plan.ts';
import { migratedTemplate } from '#test/support/migrated-database.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { World } from '#test/simulation/simulated-world.ts';
import { eventId, topicId } from '#shared/ids.ts';
import { unreachable } from '#shared/rejection.ts';

export interface Totals {
  readonly devices: number;
  readonly steps: number;
  readonly frames: number;
  readonly effects: number;
  /** Effects that happened more than once. */
  readonly repeated: number;
  readonly incidents: number;
  readonly crashes: number;
}

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
  readonly #context: SimulationContext;
  readonly #devices: Device[] = [];
  readonly #workflowIds = new Map<WorkflowName, string>();
  readonly #misstated = new Set<string>();
  readonly #forced = new Set<string>();
  readonly #published = new Set<string>();
  readonly #problems: string[] = [];
  #activity = 0;
  #crashes = 0;
  #requests = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const random = createRandom(plan.seed ^ 0x5eed);
    this.#network = new Network(this.#clock, createRandom(plan.seed ^ 0x0ff));
    this.#context = {
      folder: mkdtempSync(join(tmpdir(), 'holdfast-sim-')),
      clock: this.#clock,
      random,
      world: this.#world,
      sandbox,
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
        misstated: this.#misstated,
        forced: this.#forced,
        published: this.#published,
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
    device.onCrash = () => {
      this.#crashes += 1;
      this.#network.leave(device.name);
    };
    this.#devices.push(device);
    this.#start(device);
  }

  #start(device: Device): void {
    if (device.isRunning) return;
    device.start();
    for (const id of this.#workflowIds.values()) device.running.stores.grants.set(id, 'world', {});
    this.#network.join(device);
  }

  async #addWorkflows(): Promise<void> {
    const [first] = this.#devices as [Device];
    for (const name of WORKFLOWS) {
      this.#workflowIds.set(name, await first.addWorkflow(name, sourceOf(name)));
    }
    for (const device of this.#devices) {
      for (const id of this.#workflowIds.values())
        device.running.stores.grants.set(id, 'world', {});
    }
  }

  async #perform(step: Step): Promise<void> {
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
    if (!device.isRunning) return;
    const workflowId = this.#workflowIds.get(workflow) as string;
    const event = { workflowId, topic: 'in', messageId: id, title: id, payload: { id } };
    device.running.engine.publish(event).then(
      (result) => {
        if ('eventId' in result) this.#published.add(result.eventId);
      },
      // After a crash before the commit, the event was not published.
      (error: unknown) => {
        if (device.isRunning) throw error;
      },
    );
  }

  /** A person settles the first unknown outcome that this device shows. */
  #resolve(device: Device, as: Answer): void {
    if (!device.isRunning) return;
    const { stores, engine } = device.running;
    const open = stores.mutations
      .byStatus('indeterminate')
      .find(({ state }) => !('resolved' in state));
    if (!open?.call) return;
    const effectId = open.call.idempotencyKey;
    const hasHappened = this.#world.timesOf(effectId) > 0;
    // A truthful person waits until a slow effect has happened.
    if (as === 'truth' && this.#world.isUnderWay(effectId)) return;
    const stated = as === 'truth' ? (hasHappened ? 'happened' : 'did_not_happen') : as;
    const isKnown = !this.#world.isUnderWay(effectId);
    const isTrue =
      stated === 'skip' || (isKnown && stated === (hasHappened ? 'happened' : 'did_not_happen'));
    if (!isTrue) this.#misstated.add(effectId);
    this.#requests += 1;
    engine.decisions.settle(`resolution-${this.#requests}`, {
      mutationId: open.id,
      workflowId: open.workflowId,
      resolution: RESOLUTION_OF[stated],
      result: stated === 'happened' ? { stated } : undefined,
    });
  }

  /** A person's act, which can force a second owner. */
  #takeOver(device: Device, workflow: WorkflowName): void {
    if (!device.isRunning) return;
    const workflowId = this.#workflowIds.get(workflow) as string;
    if (!device.running.stores.workflows.get(workflowId)) return;
    if (device.running.engine.ownership.takeOver(workflowId) !== null) this.#forced.add(workflowId);
  }

  #handOver(workflow: WorkflowName, to: string): void {
    const workflowId = this.#workflowIds.get(workflow) as string;
    const owner = this.#devices.find(
      (one) => one.isRunning && one.running.engine.ownership.owns(workflowId),
    );
    const epoch = owner?.running.stores.ownership.epoch(workflowId);
    if (!owner || epoch === null || epoch === undefined) return;
    this.#requests += 1;
    const intent = { kind: 'handover', toDeviceId: to, epoch } as const;
    owner.running.engine.decisions.submit(workflowId, intent, `intent-${this.#requests}`);
  }

  #ask(device: Device, what: 'pause' | 'resume', workflow: WorkflowName): void {
    const workflowId = this.#workflowIds.get(workflow) as string;
    if (!device.isRunning || !device.running.stores.workflows.get(workflowId)) return;
    this.#requests += 1;
    const intent =
      what === 'pause' ? ({ kind: what, reason: 'a person' } as const) : { kind: what };
    device.running.engine.decisions.submit(workflowId, intent, `intent-${this.#requests}`);
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

  /** Heals the network, restarts all devices, and lets a truthful person settle open outcomes. */
  async #reunite(): Promise<void> {
    this.#network.healAll();
    for (const device of this.#devices) {
      device.setSkew(0);
      device.cancelPlannedCrash();
      device.setOlder(false);
      device.crash();
      this.#start(device);
    }
    await this.#pass(60_000);
    for (let round = 0; round < SETTLING_ROUNDS && !this.#isIdle(); round += 1) {
      this.#settleTruthfully();
      await this.#pass(ROUND_MS);
    }
  }

  #settleTruthfully(): void {
    const [person] = this.#devices as [Device];
    this.#resolve(person, 'truth');
    for (const workflow of WORKFLOWS) this.#ask(person, 'resume', workflow);
  }

  /** Archives all history, then publishes every event again on every device. */
  async #archive(): Promise<string[]> {
    for (const { running } of this.#devices) {
      const { stores, engine } = running;
      for (const id of [...this.#workflowIds.values()].filter((one) =>
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
          this.#publish(device, step.workflow, step.id);
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
    const topic = topicId(this.#workflowIds.get(workflow) as string, 'in');
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
      devices: this.#devices.length,
      steps: this.#plan.steps.length,
      frames: this.#network.frames,
      effects: times.size,
      repeated: [...times.values()].filter((count) => count > 1).length,
      incidents: first.running.db.value<number>('SELECT count(*) FROM incidents') ?? 0,
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
