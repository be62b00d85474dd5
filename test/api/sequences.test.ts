// Random sequences of real calls compared with a small model: results, and the stored state.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Host } from '#main/host/host.ts';
import type { RunView } from '#shared/api/contract.ts';
import type { ApiResult } from '#shared/api/errors.ts';
import {
  LANES,
  TERMINAL_SCRIPT_RUN_STATUSES,
  type Lane,
  type TerminalScriptRunStatus,
} from '#shared/session-enums.ts';
import { runEvent, succeed } from '#test/support/api-calls.ts';
import { watchCommits } from '#test/support/watch-commits.ts';
import { createTestHost } from '#test/support/create-test-host.ts';

type Step =
  | { readonly do: 'create'; readonly request: number; readonly name: string }
  | { readonly do: 'start'; readonly request: number; readonly lane: Lane; readonly start: number }
  | {
      readonly do: 'finish';
      readonly run: number;
      readonly status: TerminalScriptRunStatus;
      readonly end: number;
    }
  | {
      readonly do: 'append';
      readonly run: number;
      readonly step: number;
      readonly attempt: number;
    };

const small = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    request: small,
    name: fc.constantFrom('A', 'B'),
  }),
  fc.record({
    do: fc.constant('start' as const),
    request: small,
    lane: fc.constantFrom(...LANES),
    start: small,
  }),
  fc.record({
    do: fc.constant('finish' as const),
    run: fc.nat(5),
    status: fc.constantFrom(...TERMINAL_SCRIPT_RUN_STATUSES),
    end: small,
  }),
  fc.record({
    do: fc.constant('append' as const),
    run: fc.nat(5),
    step: small,
    attempt: fc.integer({ min: 1, max: 2 }),
  }),
);

interface ModelRun {
  readonly view: RunView;
  readonly key: string;
  status: string;
  terminalEventId: string | null;
  /** The types of its log, in order; steps as `step@attempt`. */
  readonly log: string[];
}

class Model {
  readonly workflows = new Map<number, { readonly id: string; readonly name: string }>();
  readonly runs: ModelRun[] = [];
  readonly #host: Host;
  readonly #spaceId: string;
  /** Sequences share one host, so each needs its own request ids. */
  readonly #prefix: string;

  constructor(host: Host, spaceId: string, prefix: string) {
    this.#host = host;
    this.#spaceId = spaceId;
    this.#prefix = prefix;
  }

  /** Makes the call and compares its result; returns whether it should have written. */
  async take(next: Step): Promise<boolean> {
    switch (next.do) {
      case 'create':
        return this.#create(next.request, next.name);
      case 'start':
        return this.#start(next.request, next.lane, next.start);
      case 'finish':
        return this.#finish(next.run, next.status, `${this.#prefix}-end-${next.end}`);
      case 'append':
        return this.#append(next.run, `step-${next.step}`, next.attempt);
    }
  }

  async #create(request: number, name: string): Promise<boolean> {
    const known = this.workflows.get(request);
    const result = await this.#call('workflows.create', {
      requestId: `${this.#prefix}-${request}`,
      name,
    });
    if (known && known.name !== name) return refused(result, 'conflict');
    expect(result).toMatchObject({ ok: true, output: { name, ...(known && { id: known.id }) } });
    if (known) return false;
    this.workflows.set(request, (result as { output: { id: string; name: string } }).output);
    return true;
  }

  async #start(request: number, lane: Lane, start: number): Promise<boolean> {
    const workflowId = this.workflows.get(request)?.id ?? 'nobody';
    const key = `${workflowId} ${lane} ${start}`;
    const result = await this.#call('runs.start', { workflowId, lane, startRequestId: `${start}` });
    if (lane === 'main') return refused(result, 'conflict');
    if (workflowId === 'nobody') return refused(result, 'not_found');
    const known = this.runs.find((run) => run.key === key);
    if (known) {
      expect(result).toMatchObject({
        ok: true,
        output: { created: false, run: { id: known.view.id, status: known.status } },
      });
      return false;
    }
    const beside = this.runs.some(
      ({ view, status }) =>
        view.workflowId === workflowId && view.lane === lane && status === 'booting',
    );
    if (beside) return refused(result, 'conflict');
    expect(result).toMatchObject({
      ok: true,
      output: { created: true, run: { workflowId, lane, status: 'booting' } },
    });
    const { run: view } = (result as { output: { run: RunView } }).output;
    this.runs.push({ view, key, status: 'booting', terminalEventId: null, log: ['run.started'] });
    return true;
  }

  async #finish(
    index: number,
    status: TerminalScriptRunStatus,
    terminalEventId: string,
  ): Promise<boolean> {
    const run = this.runs[index];
    const result = await this.#call('runs.finish', {
      runId: run?.view.id ?? 'nobody',
      status,
      terminalEventId,
    });
    if (!run) return refused(result, 'not_found');
    const duplicate = run.terminalEventId === terminalEventId;
    if (run.terminalEventId !== null && !duplicate) return refused(result, 'illegal_transition');
    if (!duplicate) {
      run.status = status;
      run.terminalEventId = terminalEventId;
      run.log.push(`run.${status}`);
    }
    expect(result).toMatchObject({
      ok: true,
      output: { duplicate, run: { status: run.status, terminalEventId } },
    });
    return !duplicate;
  }

  async #append(index: number, stepId: string, logicalAttemptId: number): Promise<boolean> {
    const run = this.runs[index];
    const about = run?.view ?? { id: 'nobody', workflowId: 'nobody', lane: 'main' as const };
    const event = runEvent(about, this.#spaceId, { stepId, logicalAttemptId });
    const result = await this.#call('runs.appendEvent', event);
    if (!run) return refused(result, 'not_found');
    const entry = `${stepId}@${logicalAttemptId}`;
    const idempotent = run.log.includes(entry);
    if (!idempotent) run.log.push(entry);
    const runSeq = run.log.indexOf(entry) + 1;
    expect(result).toMatchObject({
      ok: true,
      output: { idempotent, persisted: !idempotent, runSeq },
    });
    return !idempotent;
  }

  /** Compares everything stored with the model. */
  async check(): Promise<void> {
    const call = this.#host.dispatch;
    for (const { id, name } of this.workflows.values()) {
      const active = this.runs.find(
        ({ view, status }) =>
          view.workflowId === id && view.lane === 'main' && status === 'booting',
      );
      const activeRunId = active?.view.id ?? null;
      expect(await succeed(call, 'workflows.get', { workflowId: id })).toMatchObject({
        name,
        activeRunId,
      });
      const { runs } = await succeed(call, 'runs.list', { workflowId: id });
      const expected = this.runs.filter(({ view }) => view.workflowId === id);
      expect(runs.map((run) => `${run.id} ${run.status}`).toSorted()).toEqual(
        expected.map((run) => `${run.view.id} ${run.status}`).toSorted(),
      );
    }
    for (const run of this.runs) {
      const { events } = await succeed(call, 'runs.fetchEvents', { runId: run.view.id });
      const log = events.map(({ stepId, eventType, logicalAttemptId }) =>
        stepId === undefined ? eventType : `${stepId}@${logicalAttemptId}`,
      );
      expect(log).toEqual(run.log);
      expect(events.map(({ runSeq }) => runSeq)).toEqual(run.log.map((_, index) => index + 1));
      const snapshot = await succeed(call, 'runs.snapshot', { runId: run.view.id });
      const status = run.status === 'booting' ? 'running' : run.status;
      expect(snapshot).toMatchObject({ status, lastRunSeq: run.log.length });
    }
  }

  #call(name: string, input: unknown): Promise<ApiResult<unknown>> {
    return this.#host.dispatch(name, input);
  }
}

function refused(result: ApiResult<unknown>, type: string): false {
  expect(result).toMatchObject({ ok: false, error: { type } });
  return false;
}

test('[AP-2] [AP-6] any sequence of creates, starts, ends and appends matches the model', async () => {
  const host = createTestHost();
  const { spaceId } = await succeed(host.dispatch, 'host.info', {});
  const wrote = watchCommits(host.folder.dir);
  let sequences = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      sequences += 1;
      const model = new Model(host, spaceId, `sequence-${sequences}`);
      for (const next of steps) {
        wrote();
        const mayWrite = await model.take(next);
        expect(wrote(), JSON.stringify(next)).toBe(mayWrite);
      }
      await model.check();
    }),
    { numRuns: 60 },
  );
});

test('[SR-1] [AP-6] identical concurrent calls give one workflow and one session', async () => {
  const host = createTestHost();
  const create = { requestId: 'r', name: 'Together' };
  const workflows = await Promise.all(
    Array.from({ length: 20 }, () => succeed(host.dispatch, 'workflows.create', create)),
  );
  expect(new Set(workflows.map(({ id }) => id)).size).toBe(1);
  const workflowId = workflows[0]?.id as string;
  const starts = await Promise.all(
    Array.from({ length: 20 }, () =>
      succeed(host.dispatch, 'runs.start', { workflowId, startRequestId: 's' }),
    ),
  );
  expect(new Set(starts.map(({ run }) => run.id)).size).toBe(1);
  expect(starts.filter(({ created }) => created)).toHaveLength(1);
});
