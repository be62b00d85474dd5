// What people do on the devices, and what they thereby take on themselves: a second owner, a false
// statement, sending again.
import type { Device } from '#test/simulation/simulated-device.ts';
import { isDiskFailure } from '#test/simulation/simulated-disk.ts';
import type { Answer } from '#test/simulation/plan.ts';
import type { WorkflowName } from '#test/simulation/simulated-workflows.ts';
import type { World } from '#test/simulation/simulated-world.ts';

/** What a person stated or wanted about an effect, where it changes what the ledger promises. */
export type Statement = 'happened_falsely' | 'failed_falsely' | 'send_again' | 'skip';

/** Why people pause. */
export const PERSONS_REASON = 'a person';

const RESOLUTION_OF = {
  happened: 'user_assert_applied',
  did_not_happen: 'user_assert_failed',
  retry: 'user_retry',
  skip: 'user_skip',
} as const;

export class People {
  readonly workflowIds = new Map<WorkflowName, string>();
  readonly statements = new Map<string, Set<Statement>>();
  /** Workflows for which a person forced a second owner. */
  readonly forced = new Set<string>();
  /** Ids of the events whose publish was acknowledged. */
  readonly published = new Set<string>();
  readonly #world: World;
  #requests = 0;

  constructor(world: World) {
    this.#world = world;
  }

  publish(device: Device, workflow: WorkflowName, id: string): void {
    if (!device.isRunning) return;
    const workflowId = this.idOf(workflow);
    const event = { workflowId, topic: 'in', messageId: id, title: id, payload: { id } };
    const { engine, db } = device.running;
    const isAlive = (): boolean => device.isRunning && device.running.db === db;
    const acknowledge = async (): Promise<void> => {
      const result = await engine.publish(event);
      // As the API does before it answers.
      await db.fsync();
      if ('eventId' in result && isAlive()) this.published.add(result.eventId);
    };
    acknowledge().catch((error: unknown) => {
      // After a crash or a failure of the disk, the event was not acknowledged.
      if (isAlive() && !isDiskFailure(error)) throw error;
    });
  }

  /** A person settles the first unknown outcome that this device shows. */
  resolve(device: Device, as: Answer): void {
    if (!device.isRunning) return;
    const { stores, engine } = device.running;
    const open = stores.mutations
      .byStatus('indeterminate')
      .find(({ state }) => !('resolved' in state));
    if (!open?.call) return;
    const effectId = open.call.idempotencyKey;
    const isUnderWay = this.#world.isUnderWay(effectId);
    const hasHappened = this.#world.timesOf(effectId) > 0;
    // A truthful person waits until a slow effect has happened.
    if (as === 'truth' && isUnderWay) return;
    const stated = as === 'truth' ? (hasHappened ? 'happened' : 'did_not_happen') : as;
    if (stated === 'happened' && !hasHappened) this.#state(effectId, 'happened_falsely');
    if (stated === 'did_not_happen' && (hasHappened || isUnderWay))
      this.#state(effectId, 'failed_falsely');
    if (stated === 'retry') this.#state(effectId, 'send_again');
    if (stated === 'skip') this.#state(effectId, 'skip');
    this.#act(device, (request) =>
      engine.decisions.settle(`resolution-${request}`, {
        mutationId: open.id,
        workflowId: open.workflowId,
        resolution: RESOLUTION_OF[stated],
        result: stated === 'happened' ? { stated } : undefined,
      }),
    );
  }

  /** A person's act, which can force a second owner. */
  takeOver(device: Device, workflow: WorkflowName): void {
    if (!this.#has(device, workflow)) return;
    const workflowId = this.idOf(workflow);
    this.#act(device, () => {
      if (device.running.engine.ownership.takeOver(workflowId) !== null)
        this.forced.add(workflowId);
    });
  }

  handOver(devices: readonly Device[], workflow: WorkflowName, to: string): void {
    const workflowId = this.idOf(workflow);
    const owner = devices.find(
      (one) => one.isAwake && one.running.engine.ownership.owns(workflowId),
    );
    const epoch = owner?.running.stores.ownership.epoch(workflowId);
    if (!owner || epoch === null || epoch === undefined) return;
    const intent = { kind: 'handover', toDeviceId: to, epoch } as const;
    this.#act(owner, (request) =>
      owner.running.engine.decisions.submit(workflowId, intent, `intent-${request}`),
    );
  }

  ask(device: Device, what: 'pause' | 'resume', workflow: WorkflowName): void {
    if (!this.#has(device, workflow)) return;
    const intent =
      what === 'pause' ? ({ kind: what, reason: PERSONS_REASON } as const) : { kind: what };
    this.#act(device, (request) =>
      device.running.engine.decisions.submit(this.idOf(workflow), intent, `intent-${request}`),
    );
  }

  idOf(workflow: WorkflowName): string {
    return this.workflowIds.get(workflow) as string;
  }

  #has(device: Device, workflow: WorkflowName): boolean {
    return (
      device.isRunning && device.running.stores.workflows.get(this.idOf(workflow)) !== undefined
    );
  }

  #state(effectId: string, statement: Statement): void {
    const before = this.statements.get(effectId) ?? new Set();
    this.statements.set(effectId, before.add(statement));
  }

  /** A person can't do what the disk refuses, or what the power cut interrupts. */
  #act(device: Device, act: (request: number) => unknown): void {
    this.#requests += 1;
    try {
      act(this.#requests);
    } catch (error) {
      if (device.isRunning && !isDiskFailure(error)) throw error;
    }
  }
}
