// The engine of one host: it connects the lanes, recovery, commands, decisions and ownership, and
// starts and stops them in order. Rules about runs and effects live in those folders, not here.
import { Finalizer } from '#main/engine/continuation/finalizer.ts';
import { recover } from '#main/engine/continuation/recovery.ts';
import { Commands } from '#main/engine/decisions/commands.ts';
import { Decisions } from '#main/engine/decisions/decisions.ts';
import {
  publishEvent,
  type EventPublished,
  type EventToPublish,
} from '#main/engine/decisions/publish-external.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { Lanes } from '#main/engine/lane/lanes.ts';
import { MergeFollower } from '#main/engine/ownership/merge-follower.ts';
import { Ownership } from '#main/engine/ownership/ownership.ts';
import { WaitingWork } from '#main/engine/waiting-work.ts';
import { ScriptCache } from '#main/engine/runs/script-cache.ts';
import { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import { InputPolicies } from '#main/input-lifecycle/policies.ts';
import { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import { FsyncDeadline } from '#main/store/sqlite/fsync-deadline.ts';

export type EngineOptions = Omit<EngineContext, 'commits' | 'inputs' | 'policies' | 'scripts'>;

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

  constructor(options: EngineOptions) {
    const { observer, store, stores } = options;
    const commits = new CommitQueue(store.db, (size) => observer?.batch(size));
    const inputs = new InputLifecycle(options);
    const policies = new InputPolicies({ ...options, commits });
    const scripts = new ScriptCache(stores);
    const context = { ...options, commits, inputs, policies, scripts };
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
    this.#finalizer = new Finalizer(context, this.#lanes);
    this.#waitingWork = new WaitingWork(context, this.#lanes);
    const { commands, ownership } = this;
    this.decisions = new Decisions({ context, lanes: this.#lanes, commands, ownership });
  }

  start(): void {
    this.#fsyncDeadline.start();
    this.ownership.claimAtStart();
    recover(this.context);
    this.#lanes.start();
    this.merges.start();
    for (const workflowId of this.context.stores.workflows.ids()) {
      this.decisions.carryOutWaiting(workflowId);
      this.wake(workflowId);
    }
    this.#waitingWork.start();
    this.#finalizer.start();
  }

  async stop(): Promise<void> {
    this.merges.stop();
    this.#waitingWork.stop();
    this.#finalizer.stop();
    this.decisions.stop();
    await this.#lanes.stop();
    this.#fsyncDeadline.stop();
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
