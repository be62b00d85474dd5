// The engine of one host: it connects the lanes, recovery, commands, decisions and ownership, and
// starts and stops them in order. Rules about runs and effects live in those folders, not here.
import { DoubtClock } from '#main/engine/doubt-clock.ts';
import { Finalizer } from '#main/engine/continuation/finalizer.ts';
import { recoverAll } from '#main/engine/continuation/recovery.ts';
import { Commands } from '#main/engine/decisions/commands.ts';
import { Decisions } from '#main/engine/decisions/decisions.ts';
import {
  publishEvent,
  type EventPublished,
  type EventToPublish,
} from '#main/engine/decisions/publish-external.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { Isolation } from '#main/engine/isolation.ts';
import { Lanes } from '#main/engine/lane/lanes.ts';
import { MergeFollower } from '#main/engine/ownership/merge-follower.ts';
import { Ownership } from '#main/engine/ownership/ownership.ts';
import { WaitingWork } from '#main/engine/waiting-work.ts';
import { ScriptCache } from '#main/engine/runs/script-cache.ts';
import { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import { InputPolicies } from '#main/input-lifecycle/policies.ts';
import { checkRefusedAgain } from '#main/store/check-row.ts';
import { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import { FsyncDeadline } from '#main/store/sqlite/fsync-deadline.ts';

export type EngineOptions = Omit<
  EngineContext,
  'commits' | 'doubtClock' | 'inputs' | 'isolation' | 'policies' | 'scripts'
>;

export class Engine {
  readonly context: EngineContext;
  readonly commands: Commands;
  readonly decisions: Decisions;
  readonly ownership: Ownership;
  readonly merges: MergeFollower;
  readonly #lanes: Lanes;
  readonly #finalizer: Finalizer;
  readonly #waitingWork: WaitingWork;
  readonly #fsyncDeadline: FsyncDeadline;
  #isStarted = false;

  constructor(options: EngineOptions) {
    const { observer, store, stores } = options;
    const commits = new CommitQueue(store.db, (size) => observer?.batch(size));
    const inputs = new InputLifecycle(options);
    const policies = new InputPolicies({ ...options, commits });
    const scripts = new ScriptCache(stores);
    const isolation = new Isolation(options);
    const doubtClock = new DoubtClock(store, stores.mutations);
    const context = { ...options, commits, doubtClock, inputs, isolation, policies, scripts };
    const carryOutAndWake = (workflowId: string): void => {
      this.decisions.carryOutWaiting(workflowId);
      this.wake(workflowId);
    };
    this.context = context;
    this.#fsyncDeadline = new FsyncDeadline(store.db, store.clock);
    this.#lanes = new Lanes(context);
    this.commands = new Commands(context, this.#lanes);
    this.ownership = new Ownership(context, this.#lanes, carryOutAndWake);
    this.merges = new MergeFollower(context, carryOutAndWake);
    this.#finalizer = new Finalizer(context, this.#lanes, carryOutAndWake);
    this.#waitingWork = new WaitingWork(context, this.#lanes);
    const { commands, ownership } = this;
    this.decisions = new Decisions({ context, lanes: this.#lanes, commands, ownership });
  }

  start(): void {
    const { db, stores } = { ...this.context.store, stores: this.context.stores };
    this.#fsyncDeadline.start();
    this.#isStarted = true;
    const held = stores.refusedRows.heldWorkflows();
    checkRefusedAgain({ db, refusedRows: stores.refusedRows });
    this.ownership.claimAtStart();
    recoverAll(this.context);
    this.#lanes.start();
    this.merges.start(held);
    for (const workflowId of stores.workflows.ids()) {
      this.decisions.carryOutWaiting(workflowId);
      this.wake(workflowId);
    }
    this.#waitingWork.start();
    this.#finalizer.start();
  }

  /**
   * Begins no run and no effect until `release`. Before the start, nothing is recovered and no merged
   * row is processed either: what other devices know comes first.
   */
  hold(): void {
    this.#fsyncDeadline.start();
    this.#lanes.hold();
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Also starts the engine. */
  release(): void {
    this.#lanes.release();
    if (!this.#isStarted) this.start();
  }

  async stop(): Promise<void> {
    this.merges.stop();
    this.#waitingWork.stop();
    this.#finalizer.stop();
    this.decisions.stop();
    await this.#lanes.stop();
    this.#fsyncDeadline.stop();
    this.context.doubtClock.stop();
  }

  /** Call when work may be due in this workflow: an event, a grant, a new version. */
  wake(workflowId: string): void {
    this.#lanes.wake(workflowId);
  }

  /** Publishes an event from outside of any run. The workflow's owner processes it. */
  async publish(event: EventToPublish): Promise<EventPublished> {
    const published = await publishEvent(this.context, event);
    if ('eventId' in published && this.#lanes.isRunning) {
      this.#lanes.of(event.workflowId).wakeForEvent();
    }
    return published;
  }

  isBusy(workflowId: string): boolean {
    return this.#lanes.isBusy(workflowId);
  }

  /** Resolves when no lane is working. Timers may still be set. */
  async idle(): Promise<void> {
    await this.#lanes.idle();
  }
}
