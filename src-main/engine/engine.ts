// The engine: a lane for each workflow, recovery at the start, and what people can ask of it. What
// they ask of a workflow that another device runs is written down, and waits for that device.
import { lookAtMerged, becameOwner, claimIfOurs } from '#main/engine/after-merge.ts';
import { adoptForeignRuns, type Adopted } from '#main/engine/adopt-foreign-runs.ts';
import { reasonToPause } from '#main/engine/after-restore.ts';
import { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { continueRun } from '#main/engine/continue-run.ts';
import { boundCall, canCheck, type BoundCall } from '#main/engine/effect-call.ts';
import { carryOutIntent, DONE, type Acts, type Decision } from '#main/engine/intents.ts';
import { Lane } from '#main/engine/lane.ts';
import {
  publishEvent,
  type EventPublished,
  type EventToPublish,
} from '#main/engine/publish-external.ts';
import { recover } from '#main/engine/recovery.ts';
import { carryOut, graceEnd, withdraw } from '#main/engine/carry-out-resolution.ts';
import { stopInput } from '#main/engine/stop-input.ts';
import { ScriptCache } from '#main/engine/script-cache.ts';
import { InputLifecycle } from '#main/inputs/input-lifecycle.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Intent } from '#main/store/tables/intents.ts';
import type { NewResolution, ResolutionRow } from '#main/store/tables/resolutions.ts';
import type { TransitionResult } from '#main/store/sqlite/guarded-update.ts';
import type { EventState } from '#shared/machines/event.ts';
import type { IntentRequest } from '#shared/intents.ts';
import type { Json } from '#shared/json.ts';
import { FINALIZER_PERIOD_MS, MERGE_RETRY_MS, QUIET_BEFORE_SYNC_MS } from '#shared/limits.ts';

export type EngineOptions = Omit<EngineContext, 'commits' | 'inputs' | 'scripts'>;

/** What became of what a person asked for. */
export type Asked = Pick<Intent, 'id' | 'status' | 'message'>;

export class Engine {
  readonly context: EngineContext;
  readonly scripts: ScriptCache;
  readonly #lanes = new Map<string, Lane>();
  #isRunning = false;
  #callOffFinalizer: () => void = () => undefined;
  #callOffMergeRetry: () => void = () => undefined;
  #callOffSync: (() => void) | undefined;
  /** Decisions that can still be taken back, and when they are carried out. */
  readonly #graces = new Map<string, () => void>();
  #stopListening: () => void = () => undefined;
  /** Workflows that are being handed over, and to whom. */
  readonly #handingOver = new Map<string, string>();
  readonly #acts: Acts;

  constructor(options: EngineOptions) {
    const { observer } = options;
    const commits = new CommitQueue(options.store.db, (size) => observer?.batch(size));
    this.scripts = new ScriptCache(options.stores);
    const inputs = new InputLifecycle(options);
    this.context = { ...options, commits, inputs, scripts: this.scripts };
    this.#acts = this.#createActs();
  }

  start(): void {
    this.#takePossession();
    recover(this.context);
    this.#isRunning = true;
    this.afterMerge();
    this.#stopListening = this.context.store.db.changes.onMerge(() => this.afterMerge());
    for (const workflowId of this.workflowIds()) {
      this.#carryOutWaiting(workflowId);
      this.wake(workflowId);
    }
    this.#finalizeLater();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopListening();
    this.#callOffMergeRetry();
    this.#callOffFinalizer();
    this.#callOffSync?.();
    this.#callOffSync = undefined;
    for (const callOff of this.#graces.values()) callOff();
    this.#graces.clear();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  /** Something may be due in this workflow: an event, a grant, a new version. */
  wake(workflowId: string): void {
    if (this.#isRunning) this.#lane(workflowId).wake();
  }

  /** From outside of any run; whichever device runs the workflow acts on it. */
  async publish(event: EventToPublish): Promise<EventPublished> {
    const published = await publishEvent(this.context, this.scripts, event);
    if ('eventId' in published && this.#isRunning) this.#lane(event.workflowId).wakeForEvent();
    return published;
  }

  isBusy(workflowId: string): boolean {
    return this.#lanes.get(workflowId)?.isBusy ?? false;
  }

  /** Resolves when no lane does anything any more. Timers may still be set. */
  async idle(): Promise<void> {
    while (this.#isAnyBusy()) {
      await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
    }
  }

  runNow(workflowId: string, producer: string, requestId: string): void {
    if (this.#isRunning) this.#lane(workflowId).runNow(producer, requestId);
  }

  /** Whether this device runs the workflow. */
  owns(workflowId: string): boolean {
    return this.context.stores.ownership.epoch(workflowId) !== null;
  }

  /** To whom the workflow is being handed over, while what is at work comes to its end. */
  handingOverTo(workflowId: string): string | null {
    return this.#handingOver.get(workflowId) ?? null;
  }

  /**
   * What a person asks for. Where this device runs the workflow it is done at once; elsewhere it
   * waits for the device that does. Either way it leaves its row; only what is refused on the spot
   * leaves none.
   */
  ask(workflowId: string, wish: IntentRequest, id = this.context.store.ids.ulid()): Asked {
    const { intents } = this.context.stores;
    const known = intents.get(id);
    if (known) return known;
    const decision = this.owns(workflowId) ? carryOutIntent(this.#acts, workflowId, wish) : null;
    if (decision && decision.status !== 'done') return { id, message: null, ...decision };
    intents.add(id, workflowId, wish);
    if (decision) intents.decide(id, decision.status, decision.message);
    return intents.get(id) as Intent;
  }

  /**
   * A person's act: this device runs the workflow from now on, whatever the other one does. Null: it
   * does so already. Also calls back what was let go of and not claimed yet.
   */
  takeOver(workflowId: string): Adopted[] | null {
    const { stores, store } = this.context;
    const before = stores.ownership.of(workflowId);
    if (before.type === 'owned' && before.claim.deviceId === store.deviceId) return null;
    const isCallBack = before.type === 'released' && before.claim.deviceId === store.deviceId;
    const how = isCallBack ? 'handover' : 'takeover';
    const adopted = store.db.writeDurably(() => {
      const why = reasonToPause(this.context, workflowId);
      stores.ownership.claim(workflowId, how);
      if (why !== null) this.pause(workflowId, why);
      return becameOwner(this.context, workflowId, how);
    });
    this.#carryOutWaiting(workflowId);
    this.wake(workflowId);
    return adopted;
  }

  /** Looks at what merges brought. Nothing is lost when it cannot: it is looked at again. */
  afterMerge(): void {
    const { log, store } = this.context;
    this.#callOffMergeRetry();
    try {
      for (;;) {
        const touched = lookAtMerged(this.context);
        if (touched.size === 0) return;
        for (const workflowId of touched) {
          this.#carryOutWaiting(workflowId);
          this.wake(workflowId);
        }
      }
    } catch (error) {
      log.error({ err: error }, 'what a merge brought could not be looked at');
      this.#callOffMergeRetry = store.clock.wakeAt(store.clock.now() + MERGE_RETRY_MS, () =>
        this.afterMerge(),
      );
    }
  }

  pause(workflowId: string, reason: string): void {
    this.context.stores.workflows.setStatus(workflowId, 'paused', reason);
  }

  /** Also takes up again what waits for a grant or a mended script; never an open question. */
  resume(workflowId: string): void {
    const { stores, store } = this.context;
    store.db.write(() => {
      stores.workflows.setStatus(workflowId, 'active');
      for (const run of stores.handlerRuns.open(workflowId)) {
        continueRun(this.context, run, 'resumed');
      }
    });
    this.wake(workflowId);
  }

  /** Writes the decision; whoever runs the workflow carries it out, where it is still unknown. */
  resolve(id: string, decision: NewResolution): ResolutionRow {
    const { stores } = this.context;
    stores.resolutions.add(id, decision);
    const row = stores.resolutions.get(id) as ResolutionRow;
    if (row.status === 'waiting' && this.owns(row.workflowId)) this.#carryOutInTime(row);
    return stores.resolutions.get(id) as ResolutionRow;
  }

  /** The answer to a question that a workflow asked. */
  answer(mutationId: string, answer: Json): boolean {
    const { stores, store } = this.context;
    const mutation = stores.mutations.get(mutationId);
    if (mutation?.state.status !== 'pending') return false;
    store.db.write(() => {
      stores.mutations.move(mutationId, { type: 'send' });
      stores.mutations.move(mutationId, { type: 'apply', result: answer });
      const run = stores.handlerRuns.get(mutation.handlerRunId);
      if (run) continueRun(this.context, run, 'settled');
    });
    this.wake(mutation.workflowId);
    return true;
  }

  canReconcile(mutationId: string): boolean {
    return canCheck(this.context, mutationId);
  }

  /** The tools of an effect's workflow with its call, to describe it to a person. */
  boundCall(mutationId: string): BoundCall | undefined {
    return boundCall(this.context, mutationId);
  }

  /** On purpose once more: a new attempt, so a new effect. */
  rerunEvent(eventId: string, payload?: Json): TransitionResult<EventState> {
    const { stores, store } = this.context;
    const result = store.db.write(() => {
      const moved = stores.events.move(eventId, { type: 'rerun' });
      if (moved.type === 'moved' && payload !== undefined) stores.events.edit(eventId, payload);
      return moved;
    });
    const event = stores.events.get(eventId);
    if (event && result.type === 'moved') this.wake(event.workflowId);
    return result;
  }

  /** Null when the run is past its effect or has ended. */
  cancel(run: HandlerRun): 'canceled' | 'canceling' | null {
    const next = this.context.store.db.write(() => continueRun(this.context, run, 'canceled'));
    if (next === 'refuse') return null;
    if (next === 'cancel') {
      this.wake(run.workflowId);
      return 'canceled';
    }
    this.#lane(run.workflowId).cancel(run.id);
    return 'canceling';
  }

  #lane(workflowId: string): Lane {
    let lane = this.#lanes.get(workflowId);
    if (!lane) {
      lane = new Lane(this.context, this.scripts, workflowId, () => this.#wentIdle());
      this.#lanes.set(workflowId, lane);
    }
    return lane;
  }

  #isAnyBusy(): boolean {
    for (const lane of this.#lanes.values()) if (lane.isBusy) return true;
    return false;
  }

  /** Not at once: what comes right after would have to share the disk with it. */
  #wentIdle(): void {
    if (this.#callOffSync || !this.#isRunning || this.#isAnyBusy()) return;
    const { clock, db } = this.context.store;
    this.#callOffSync = clock.wakeAt(clock.now() + QUIET_BEFORE_SYNC_MS, () => {
      this.#callOffSync = undefined;
      if (!this.#isAnyBusy()) db.fsyncInBackground();
    });
  }

  workflowIds(): string[] {
    return this.context.store.db
      .all<{ id: string }>(`SELECT id FROM workflows ORDER BY created_at`)
      .map(({ id }) => id);
  }

  /** What was handed over, or left open, while nobody looked. */
  #takePossession(): void {
    const { stores, store } = this.context;
    store.db.write(() => {
      const { ownership } = stores;
      for (const id of new Set([...ownership.unclaimed(), ...ownership.offered()])) {
        claimIfOurs(this.context, id);
      }
      const foreign = new Set(
        stores.handlerRuns
          .open()
          .filter(({ deviceId }) => deviceId !== store.deviceId)
          .map(({ workflowId }) => workflowId),
      );
      for (const id of foreign) {
        const owner = ownership.of(id);
        if (owner.type === 'owned' && owner.claim.deviceId === store.deviceId) {
          adoptForeignRuns(this.context, id, owner.claim.how);
        }
      }
    });
  }

  #carryOutWaiting(workflowId: string): void {
    const { stores } = this.context;
    if (!this.owns(workflowId)) return;
    const intents = stores.intents.waiting(workflowId);
    const isWithdrawal = ({ wish }: Intent): boolean =>
      (wish as { kind?: unknown } | null)?.kind === 'withdraw';
    // Both may have come together: what was taken back must not be carried out before that is seen.
    for (const intent of intents.filter(isWithdrawal)) this.#carryOutIntent(intent);
    for (const row of stores.resolutions.waiting(workflowId)) this.#carryOutInTime(row);
    for (const intent of intents.filter((one) => !isWithdrawal(one))) {
      // One of them may have been to hand it over: the rest is for the next owner.
      if (this.owns(workflowId)) this.#carryOutIntent(intent);
    }
  }

  /** At once, or when it can no longer be taken back. */
  #carryOutInTime(row: ResolutionRow): void {
    const { stores, store } = this.context;
    const at = graceEnd(this.context, row);
    if (at === null) return this.#carryOutResolution(row);
    if (this.#graces.has(row.id)) return;
    const callOff = store.clock.wakeAt(at, () => {
      this.#graces.delete(row.id);
      const now = stores.resolutions.get(row.id);
      if (now?.status !== 'waiting' || !this.#isRunning || !this.owns(row.workflowId)) return;
      this.#carryOutResolution(now);
    });
    this.#graces.set(row.id, callOff);
  }

  #carryOutResolution(row: ResolutionRow): void {
    const { stores, store } = this.context;
    const carried = store.db.writeDurably(() =>
      carryOut(this.context, row, this.canReconcile(row.mutationId)),
    );
    const mutation = stores.mutations.get(row.mutationId);
    if (carried === 'wake') this.wake(row.workflowId);
    if (carried === 'resend' && mutation) {
      this.#lane(row.workflowId).resend(mutation.handlerRunId);
    }
  }

  #carryOutIntent(intent: Intent): void {
    const { stores } = this.context;
    const decision = carryOutIntent(this.#acts, intent.workflowId, intent.wish);
    if (decision) stores.intents.decide(intent.id, decision.status, decision.message);
  }

  #createActs(): Acts {
    const { stores } = this.context;
    return {
      pause: (workflowId, reason) => this.pause(workflowId, reason),
      resume: (workflowId) => this.resume(workflowId),
      runNow: (workflowId, producer, requestId) => {
        if (!this.#isRunning) return null;
        this.runNow(workflowId, producer, requestId);
        return DONE;
      },
      cancel: (handlerRunId) => {
        const run = stores.handlerRuns.get(handlerRunId);
        if (!run) return { status: 'refused', message: 'There is no such run here.' };
        if (this.cancel(run) !== null) return DONE;
        return {
          status: 'superseded',
          message: `This run is "${run.state.phase}": it is past the point where it can be canceled. It stays as it is.`,
        };
      },
      rerun: (eventId, payload) => {
        const result = this.rerunEvent(eventId, payload);
        return result.type === 'moved' ? DONE : { status: 'superseded', message: result.message };
      },
      answer: (mutationId, answer) =>
        this.answer(mutationId, answer)
          ? DONE
          : {
              status: 'superseded',
              message: 'This question is not open any more. Your answer was not used.',
            },
      stopInput: (inputId, as, reason) => stopInput(this, inputId, as, reason),
      settleInput: (inputId, as, reason) => {
        const settled = this.context.inputs.settle(inputId, as, reason);
        if (settled.type === 'moved' || settled.type === 'repeated') return DONE;
        return { status: 'superseded', message: settled.message };
      },
      activate: (workflowId, scriptId, basedOn) => this.#activate(workflowId, scriptId, basedOn),
      withdraw: (resolutionId) => withdraw(this.context, resolutionId),
      handOver: (workflowId, toDeviceId, epoch) => this.#handOver(workflowId, toDeviceId, epoch),
    };
  }

  /** Makes a version the one that runs, unless another one was activated meanwhile. */
  #activate(workflowId: string, scriptId: string, basedOn: string | null): Decision {
    const { stores } = this.context;
    const workflow = stores.workflows.get(workflowId);
    const script = stores.scripts.get(scriptId);
    if (!workflow || !script) {
      return { status: 'refused', message: 'There is no such version of this workflow here.' };
    }
    if (basedOn !== workflow.scriptId) {
      return {
        status: 'superseded',
        message:
          'Another version was activated after this draft was begun. Nothing was changed. Add the file again to begin a new draft.',
      };
    }
    const { name } = (script.handlerConfig ?? {}) as { name?: string };
    stores.workflows.activate(workflowId, {
      name: name ?? workflow.name,
      scriptId,
      handlerConfig: script.handlerConfig,
    });
    this.resume(workflowId);
    return DONE;
  }

  /** Null: what is at work comes to its end first. */
  #handOver(workflowId: string, toDeviceId: string, epoch: number): Decision | null {
    const { stores, store, log } = this.context;
    if (stores.ownership.epoch(workflowId) !== epoch) {
      return {
        status: 'superseded',
        message: 'It has had another owner since this was asked for.',
      };
    }
    if (toDeviceId === store.deviceId) {
      return { status: 'refused', message: 'This device runs the workflow already.' };
    }
    const lane = this.#lanes.get(workflowId);
    if (!lane?.isBusy) {
      return this.#release(workflowId, toDeviceId);
    }
    const isAsked = this.#handingOver.has(workflowId);
    this.#handingOver.set(workflowId, toDeviceId);
    store.db.write(() => store.db.changes.record('workflows', workflowId));
    if (!isAsked) {
      // The intent stays: the next look at it tries again.
      this.#drain(lane).catch((error: unknown) =>
        log.error({ err: error, workflowId }, 'a hand-over broke off'),
      );
    }
    return null;
  }

  async #drain(lane: Lane): Promise<void> {
    const { workflowId } = lane;
    await lane.drain();
    this.#handingOver.delete(workflowId);
    // The intent still waits: now nothing is at work, and it can be carried out.
    if (this.#isRunning) this.#carryOutWaiting(workflowId);
    lane.goOn();
  }

  #release(workflowId: string, toDeviceId: string): Decision {
    const { stores, store } = this.context;
    store.db.writeDurably(() => stores.ownership.release(workflowId, toDeviceId));
    this.wake(workflowId);
    return DONE;
  }

  /** Ends what nobody works on any more: a lane that broke off leaves no zombie. */
  #finalizeLater(): void {
    const { clock } = this.context.store;
    this.#callOffFinalizer = clock.wakeAt(clock.now() + FINALIZER_PERIOD_MS, () => {
      this.#finalize();
      this.#finalizeLater();
    });
  }

  #finalize(): void {
    const { stores, store, log } = this.context;
    const abandoned = new Set(
      stores.handlerRuns
        .open()
        .filter((run) => run.deviceId === store.deviceId && run.state.phase !== 'suspended')
        .filter((run) => !this.isBusy(run.workflowId) && this.owns(run.workflowId))
        .map((run) => run.workflowId),
    );
    for (const workflowId of abandoned) {
      log.warn({ workflowId }, 'ended runs that nobody worked on');
      recover(this.context, workflowId);
      this.wake(workflowId);
    }
  }
}
