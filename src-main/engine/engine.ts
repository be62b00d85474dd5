// The engine: a lane for each workflow, recovery at the start, and what people can ask of it.
import { CommitQueue } from '#main/engine/commit-queue.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { endRun } from '#main/engine/failure.ts';
import { Lane } from '#main/engine/lane.ts';
import { recover } from '#main/engine/recovery.ts';
import { carryOut } from '#main/engine/resolve.ts';
import { ScriptCache } from '#main/engine/script-cache.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import type { EffectCall } from '#main/store/mutations.ts';
import type { NewResolution, ResolutionRow } from '#main/store/resolutions.ts';
import type { TransitionResult } from '#main/store/transition.ts';
import type { BoundTools } from '#main/tools/tool-box.ts';
import type { EventState } from '#shared/machines/event.ts';
import type { Json } from '#shared/json.ts';
import { FINALIZER_PERIOD_MS } from '#shared/limits.ts';

export type EngineOptions = Omit<EngineContext, 'commits'>;

export class Engine {
  readonly context: EngineContext;
  readonly scripts: ScriptCache;
  readonly #lanes = new Map<string, Lane>();
  #isRunning = false;
  #callOffFinalizer: () => void = () => undefined;

  constructor(options: EngineOptions) {
    this.context = { ...options, commits: new CommitQueue(options.store.db) };
    this.scripts = new ScriptCache(options.stores);
  }

  start(): void {
    recover(this.context, this.scripts);
    this.#isRunning = true;
    for (const workflowId of this.#workflowIds()) this.wake(workflowId);
    this.#finalizeLater();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#callOffFinalizer();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  /** Something may be due in this workflow: an event, a grant, a new version. */
  wake(workflowId: string): void {
    if (this.#isRunning) this.#lane(workflowId).wake();
  }

  isBusy(workflowId: string): boolean {
    return this.#lanes.get(workflowId)?.isBusy ?? false;
  }

  /** Resolves when no lane does anything any more. Timers may still be set. */
  async idle(): Promise<void> {
    while ([...this.#lanes.values()].some((lane) => lane.isBusy)) {
      await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
    }
  }

  runNow(workflowId: string, producer: string, requestId: string): void {
    if (this.#isRunning) this.#lane(workflowId).runNow(producer, requestId);
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
        if (run.state.phase !== 'suspended' || run.deviceId !== store.deviceId) continue;
        const { reason, resumePhase } = run.state;
        const isQuestion = stores.mutations.ofRun(run.id)?.state.status === 'pending';
        if (reason === 'reconciliation' || isQuestion) continue;
        if (resumePhase === 'emitting' || resumePhase === 'mutated') {
          stores.handlerRuns.moveConsumer(run.id, { type: 'resume' });
        } else {
          endRun(this.context, run, { errorType: 'permission', error: 'It is tried anew.' });
          const { consumerWakes } = stores;
          const wake = { wakeAt: null, notBefore: null, retryOf: run.id, failures: 0 };
          consumerWakes.set(workflowId, run.handlerName, wake);
        }
      }
    });
    this.wake(workflowId);
  }

  /** Writes the decision and, where the outcome is still unknown, carries it out. */
  resolve(id: string, decision: NewResolution): ResolutionRow {
    const { stores, store } = this.context;
    const carried = store.db.writeDurably(() => {
      stores.resolutions.add(id, decision);
      const row = stores.resolutions.get(id) as ResolutionRow;
      return row.status === 'waiting'
        ? carryOut(this.context, row, this.canReconcile(decision.mutationId))
        : null;
    });
    const mutation = stores.mutations.get(decision.mutationId);
    if (carried === 'wake') this.wake(decision.workflowId);
    if (carried === 'resend' && mutation) {
      this.#lane(decision.workflowId).resend(mutation.handlerRunId);
    }
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
      stores.handlerRuns.moveConsumer(mutation.handlerRunId, { type: 'settle' });
    });
    this.wake(mutation.workflowId);
    return true;
  }

  canReconcile(mutationId: string): boolean {
    const bound = this.boundCall(mutationId);
    return bound ? bound.tools.canReconcile(bound.call) : false;
  }

  /** The tools of a mutation's workflow with its call, to describe it to a person. */
  boundCall(
    mutationId: string,
  ): { tools: BoundTools; call: { namespace: string; method: string; params: Json } } | undefined {
    const { stores, tools } = this.context;
    const mutation = stores.mutations.get(mutationId);
    if (!mutation?.call) return undefined;
    const { workflowId } = mutation;
    const { toolNamespace, toolMethod, params }: EffectCall = mutation.call;
    const scriptId = stores.workflows.get(workflowId)?.scriptId;
    const uses = (scriptId && this.scripts.get(scriptId)?.config.uses) || {};
    return {
      tools: tools.bind(workflowId, stores.grants.of(workflowId), uses),
      call: { namespace: toolNamespace, method: toolMethod, params },
    };
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

  /** Null: it is past its effect, or has ended. */
  cancel(run: HandlerRun): 'canceled' | 'canceling' | null {
    const { stores, store } = this.context;
    const { state } = run;
    if (state.phase === 'suspended') {
      const isBeforeEffect = state.reason === 'approval' && state.resumePhase !== 'emitting';
      if (!isBeforeEffect) return null;
      store.db.write(() => {
        const reserved = stores.events.reservedBy(run.id);
        endRun(this.context, run, { errorType: 'internal', error: 'It was canceled.' });
        for (const { id } of reserved) {
          stores.events.move(id, { type: 'skip', reason: 'canceled' });
        }
      });
      this.wake(run.workflowId);
      return 'canceled';
    }
    if (!['pending', 'preparing', 'prepared'].includes(state.phase)) return null;
    this.#lane(run.workflowId).cancel(run.id);
    return 'canceling';
  }

  #lane(workflowId: string): Lane {
    let lane = this.#lanes.get(workflowId);
    if (!lane) {
      lane = new Lane(this.context, this.scripts, workflowId);
      this.#lanes.set(workflowId, lane);
    }
    return lane;
  }

  #workflowIds(): string[] {
    return this.context.store.db
      .all<{ id: string }>(`SELECT id FROM workflows WHERE status = 'active' ORDER BY created_at`)
      .map(({ id }) => id);
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
        .filter((run) => !this.isBusy(run.workflowId))
        .map((run) => run.workflowId),
    );
    for (const workflowId of abandoned) {
      log.warn({ workflowId }, 'ended runs that nobody worked on');
      recover(this.context, this.scripts, workflowId);
      this.wake(workflowId);
    }
  }
}
