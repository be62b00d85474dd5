// Commands for a workflow that this device owns: pause, resume, run now, cancel, rerun, answer,
// activate, skip what a version left behind. Callers check ownership first.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { findLeftBehind } from '#main/engine/left-behind.ts';
import type { Lanes } from '#main/engine/lane/lanes.ts';
import type { TransitionResult } from '#main/store/sqlite/guarded-update.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { DONE, type DecisionOutcome } from '#shared/decision.ts';
import { topicId } from '#shared/ids.ts';
import type { IntentRequest } from '#shared/intents.ts';
import type { Json } from '#shared/json.ts';
import { leavesBehind, type LeftBehind } from '#shared/left-behind.ts';
import { MAX_PEEK } from '#shared/limits.ts';
import type { EventState } from '#shared/machines/event.ts';
import { isStoppedByVersion } from '#shared/stop-reason.ts';

type Activation = Extract<IntentRequest, { kind: 'activate' }>;

export class Commands {
  readonly #context: EngineContext;
  readonly #lanes: Lanes;

  constructor(context: EngineContext, lanes: Lanes) {
    this.#context = context;
    this.#lanes = lanes;
  }

  pause(workflowId: string, reason: string): void {
    this.#context.stores.workflows.setStatus(workflowId, 'paused', reason);
  }

  /** Also continues runs that wait for a grant or a fixed version. Open questions stay open. */
  resume(workflowId: string): void {
    const { stores, store } = this.#context;
    store.db.write(() => {
      stores.workflows.setStatus(workflowId, 'active');
      stores.consumerWakes.forgetSeen(workflowId);
      this.#context.policies.resetAll(workflowId);
      for (const run of stores.handlerRuns.open(workflowId)) {
        continueRun(this.#context, run, 'resumed');
      }
    });
    this.#lanes.wake(workflowId);
  }

  /** False if the engine is stopped; the request is not accepted then. */
  runNow(workflowId: string, producer: string, requestId: string): boolean {
    if (!this.#lanes.isRunning) return false;
    this.#lanes.of(workflowId).runNow(producer, requestId);
    return true;
  }

  /**
   * Ends a run before its effect; a new run takes its events. Null if it is too late: the run is past
   * its effect or has ended.
   */
  cancel(run: HandlerRun): 'canceled' | 'canceling' | null {
    const { db } = this.#context.store;
    const next = db.write(() => continueRun(this.#context, run, 'canceled'));
    if (next === 'refuse') return null;
    if (next === 'start_over_now') {
      this.#lanes.wake(run.workflowId);
      return 'canceled';
    }
    this.#lanes.of(run.workflowId).cancel(run.id);
    return 'canceling';
  }

  /** Processes an event again, as a new attempt with a new effect. */
  rerunEvent(eventId: string, payload?: Json): TransitionResult<EventState> {
    const { stores, store } = this.#context;
    const result = store.db.write(() => {
      const moved = stores.events.move(eventId, { type: 'rerun' });
      const rerun = moved.type === 'moved' ? stores.events.get(eventId) : undefined;
      if (rerun) this.#context.policies.reset(inputsOfEvents([rerun]));
      if (moved.type === 'moved' && payload !== undefined) stores.events.edit(eventId, payload);
      return moved;
    });
    const event = stores.events.get(eventId);
    if (event && result.type === 'moved') this.#lanes.wake(event.workflowId);
    return result;
  }

  /** Answers a question that a workflow asked. False if the question is not open. */
  answer(mutationId: string, answer: Json): boolean {
    const { stores, store } = this.#context;
    const mutation = stores.mutations.get(mutationId);
    if (mutation?.state.status !== 'pending') return false;
    store.db.write(() => {
      stores.mutations.move(mutationId, { type: 'send' });
      stores.mutations.move(mutationId, { type: 'apply', result: answer });
      const run = stores.handlerRuns.get(mutation.handlerRunId);
      if (run) continueRun(this.#context, run, 'settled');
    });
    this.#lanes.wake(mutation.workflowId);
    return true;
  }

  /**
   * Activates a version, unless another one was activated since the draft was created, or it leaves
   * something behind that nobody was asked about. It is used at once: failures of the version before
   * delay it no more, and a pause that they caused ends. A pause by a person stays.
   */
  activate(workflowId: string, request: Activation): DecisionOutcome {
    const { stores } = this.#context;
    const { scriptId, basedOn } = request;
    const workflow = stores.workflows.get(workflowId);
    const script = stores.scripts.get(scriptId);
    if (!workflow || !script) {
      return { status: 'refused', message: "This device doesn't have that version." };
    }
    if (basedOn !== workflow.scriptId) {
      return {
        status: 'superseded',
        message:
          'Another version was activated after this draft was created. Nothing was changed. Add the file again to create a new draft.',
      };
    }
    const left = request.leavesBehind ? [] : this.leftBehindBy(workflowId, scriptId);
    if (left.length > 0) return { status: 'refused', message: leavesBehind(left) };
    const { name } = (script.handlerConfig ?? {}) as { name?: string };
    stores.workflows.activate(workflowId, {
      name: name ?? workflow.name,
      scriptId,
      handlerConfig: script.handlerConfig,
    });
    // Only valid text becomes a version; it was checked when it was read, on whichever device.
    stores.laneValidation.set(
      { workflowId, lane: 'main', scriptId, problems: [] },
      script.createdAt,
    );
    stores.consumerWakes.forgetFailures(workflowId);
    const isPaused = workflow.status === 'paused' && !isStoppedByVersion(workflow.statusReason);
    if (!isPaused) this.resume(workflowId);
    return DONE;
  }

  /** Lists what this version would leave behind. Empty if this device can't read the version. */
  leftBehindBy(workflowId: string, scriptId: string): LeftBehind[] {
    const version = this.#context.scripts.get(scriptId)?.config;
    if (!version) return [];
    return findLeftBehind(this.#context, workflowId, version, this.#lanes.isBusy(workflowId));
  }

  /** Skips the events that wait in a topic that the active version doesn't have. */
  skipLeftBehind(workflowId: string, topic: string): DecisionOutcome {
    const { stores, store, scripts } = this.#context;
    const { scriptId } = stores.workflows.runStatus(workflowId) ?? {};
    const version = scriptId ? scripts.get(scriptId)?.config : undefined;
    if (!version || version.topics.includes(topic)) {
      const message = `The active version has the topic "${topic}" and takes its events. Nothing was skipped.`;
      return { status: 'superseded', message };
    }
    const skipped = store.db.write(() => {
      for (let count = 0; ;) {
        const events = stores.events.peek(topicId(workflowId, topic), MAX_PEEK);
        for (const { id } of events) stores.events.move(id, { type: 'skip', reason: 'by_person' });
        count += events.length;
        if (events.length < MAX_PEEK) return count;
      }
    });
    if (skipped > 0) return DONE;
    const message = `No events wait in the topic "${topic}". Nothing was skipped.`;
    return { status: 'superseded', message };
  }
}
