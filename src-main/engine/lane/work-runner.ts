// Runs one piece of a lane's work: a consumer, a producer, a check, or a run that continues. It does
// not choose the work, and it does not wait for more.
import { retryBlockedRun } from '#main/engine/continuation/retry-blocked-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { ManualRun } from '#main/engine/lane/lane-requests.ts';
import type { LaneSession } from '#main/engine/lane/lane-session.ts';
import type { LaneMemory, Work } from '#main/engine/lane/pick-work.ts';
import { advanceSchedule } from '#main/engine/lane/producer-schedules.ts';
import { afterRun, type Due } from '#main/engine/lane/schedules.ts';
import { ConsumerRun, type RunEnd } from '#main/engine/runs/consumer-run.ts';
import { Effects } from '#main/engine/runs/effects.ts';
import { runProducer } from '#main/engine/runs/producer-run.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';
import { unreachable } from '#shared/rejection.ts';
import type { Trigger } from '#shared/session-enums.ts';
import { startRequest } from '#shared/start-request.ts';

interface WorkRunnerOptions {
  readonly context: EngineContext;
  readonly workflowId: string;
  readonly session: LaneSession;
  readonly memory: LaneMemory;
  readonly whyNoEffect: (runId: string) => string | null;
}

export class WorkRunner {
  readonly #options: WorkRunnerOptions;
  readonly #effects: Effects;

  constructor(options: WorkRunnerOptions) {
    this.#options = options;
    this.#effects = new Effects(options.context);
  }

  /** False if the run still waits for the outcome of its effect. */
  async run(
    script: RunnableScript,
    epoch: number,
    work: Exclude<Work, { type: 'wait' | 'blocked' }>,
  ): Promise<boolean> {
    switch (work.type) {
      case 'continue':
      case 'check': {
        const { run } = work;
        const cause = startRequest[work.type](run.id);
        await this.#consumer(script, epoch, run.handlerName, cause, (consumer) =>
          work.type === 'continue' ? consumer.continueFrom(run) : consumer.check(run),
        );
        return true;
      }
      case 'retry_blocked': {
        const { context } = this.#options;
        return context.commits.commit(() => retryBlockedRun(context, work.run));
      }
      case 'consume':
        this.#options.memory.lastTurn = 'consume';
        await this.#consume(script, epoch, work.consumer, work.cause);
        return true;
      case 'produce':
        this.#options.memory.lastTurn = 'produce';
        await this.#produceDue(script, epoch, work.producer, work.due);
        return true;
      default:
        return unreachable(work);
    }
  }

  /** False if this device doesn't have the run. */
  async resend(script: RunnableScript, epoch: number, runId: string): Promise<boolean> {
    const run = this.#options.context.stores.handlerRuns.get(runId);
    if (!run) return false;
    const cause = startRequest.resend(runId);
    await this.#consumer(script, epoch, run.handlerName, cause, (consumer) =>
      consumer.sendAgain(run),
    );
    return true;
  }

  /** Doesn't change the schedule. */
  async produceNow(script: RunnableScript, epoch: number, manual: ManualRun): Promise<void> {
    const cause = startRequest.manual(manual.requestId);
    await this.#produce(script, epoch, manual.producer, null, cause);
  }

  async #consume(
    script: RunnableScript,
    epoch: number,
    consumer: string,
    cause: string,
  ): Promise<void> {
    // No run was open when this work was picked. A wake during the run sets it again.
    this.#options.memory.mayHaveOpenRuns = false;
    await this.#consumer(script, epoch, consumer, cause, (run) => run.start());
  }

  async #consumer(
    script: RunnableScript,
    epoch: number,
    name: string,
    cause: string,
    work: (run: ConsumerRun) => Promise<RunEnd>,
  ): Promise<void> {
    const { context, workflowId, memory, whyNoEffect } = this.#options;
    const session = await this.#options.session.ensure('event', cause, epoch);
    const handler = { workflowId, script, kind: 'consumer', name } as const;
    const run = new ConsumerRun({ context, effects: this.#effects, session, handler, whyNoEffect });
    const startedAt = context.store.clock.now();
    const began = performance.now();
    const end = await work(run);
    context.observer?.run({
      workflowId,
      handlerName: name,
      runId: run.runId ?? '',
      kind: 'consumer',
      sessionId: session.runId,
      end,
      startedAt,
      ms: performance.now() - began,
    });
    if (end !== 'committed') memory.mayHaveOpenRuns = true;
  }

  async #produceDue(
    script: RunnableScript,
    epoch: number,
    producer: string,
    due: Due,
  ): Promise<void> {
    if (due.slot === null) {
      advanceSchedule(this.#options.context, this.#options.workflowId, producer, due);
      return;
    }
    const cause = startRequest.schedule(producer, due.slot);
    await this.#produce(script, epoch, producer, due, cause);
  }

  /** `due` is null if a person started the run. */
  async #produce(
    script: RunnableScript,
    epoch: number,
    producer: string,
    due: Due | null,
    cause: string,
  ): Promise<void> {
    const { context, workflowId, memory } = this.#options;
    const trigger: Trigger = due ? 'schedule' : 'manual';
    const session = await this.#options.session.ensure(trigger, cause, epoch);
    memory.mayHaveOpenRuns = false;
    const startedAt = context.store.clock.now();
    const end = await runProducer({
      context,
      session,
      handler: { workflowId, script, kind: 'producer', name: producer },
      origin: { kind: trigger, key: cause, at: due?.slot ?? startedAt },
      missed: due?.missed ?? [],
      onCommit: (run) => due && this.#advance(script, run, due, startedAt),
    });
    if (end !== 'committed') memory.mayHaveOpenRuns = true;
  }

  #advance({ config }: RunnableScript, run: HandlerRun, due: Due, startedAt: number): void {
    const { context, workflowId } = this.#options;
    const { schedule } = config.producers[run.handlerName] as HandlerConfig['producers'][string];
    const { skipped, next } = afterRun(schedule, due, startedAt, context.store.clock.now());
    // A run with missed slots recorded those at its start, as the first occurrence.
    if (skipped.length > 0) {
      recordRunEvent(context, run, 'schedule.missed', { slots: [...skipped] }, 2);
    }
    advanceSchedule(context, workflowId, run.handlerName, { slot: due.slot, next });
  }
}
