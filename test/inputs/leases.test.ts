// Leases of automation runs: every stage claims one before it writes.
import { describe, expect, it } from 'vitest';
import { createSilentLog } from '#main/host/log.ts';
import type { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import { InputPolicies } from '#main/input-lifecycle/policies.ts';
import { ArtifactStore } from '#main/inputs/artifacts.ts';
import { Finalizer } from '#main/inputs/finalizer.ts';
import { enrich } from '#main/inputs/stages/enrich.ts';
import { execute } from '#main/inputs/stages/execute.ts';
import { StageLost, type StageContext } from '#main/inputs/stages/stage.ts';
import { writeCompletion } from '#main/inputs/stages/write-completion.ts';
import { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { Lease } from '#main/store/tables/automation-leases.ts';
import type { Json } from '#shared/json.ts';
import { LEASE_MS, OUTBOX_BASE_MS, RUN_DEADLINE_MS } from '#shared/limits.ts';
import { UNFINISHED } from '#shared/machines/automation-run.ts';
import { runNode } from '#test/support/child-processes.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';
import { createLifecycle, registerInput } from '#test/support/register-inputs.ts';
import { READ_POSTER, startInputs } from '#test/support/start-inputs.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

interface Worker {
  readonly store: OpenStore;
  readonly runs: InputLifecycle;
  readonly context: StageContext;
  /** Stops the inputs that the finalizer wants to stop. */
  readonly finalizer: Finalizer;
}

function openWorker(store = openStore(), dataDir = tempFolder()): Worker {
  const runs = createLifecycle(store);
  const commits = new CommitQueue(store.db);
  const artifacts = new ArtifactStore({ dataDir, clock: store.clock });
  const log = createSilentLog();
  const policies = new InputPolicies({
    stores: store,
    store: store.context,
    log,
    artifacts,
    commits,
  });
  const context: StageContext = {
    stores: store,
    store: store.context,
    runs,
    commits,
    artifacts,
    policies,
    workerId: store.context.ids.ulid(),
    log,
    wake: () => undefined,
    probe: () => undefined,
  };
  const stopInput = (id: string, stop: Parameters<InputLifecycle['stop']>[1]): void =>
    void runs.stop(id, stop);
  return { store, runs, context, finalizer: new Finalizer({ context, stopInput }) };
}

/** Another worker on the same database, with a connection of its own and the same time. */
const another = ({ store }: Worker): Worker =>
  openWorker(openStore('device-a', store.path, {}, store.clock));

function register({ store, runs }: Worker, key = 'k'): string {
  return registerInput(store, runs, addWorkflow(store), key);
}

function toStatus({ runs }: Worker, id: string, ...steps: readonly string[]): void {
  for (const type of steps as readonly ('enrich' | 'enriched' | 'execute')[]) {
    expect(runs.move(id, { actor: 'stage', event: { type } }).type).toBe('moved');
  }
}

function claimed({ store }: Worker, id: string, owner: string): Lease {
  const lease = store.automationLeases.claim(id, owner, ['queued', 'running', 'succeeded']);
  if (!lease) throw new Error('not claimed');
  return lease;
}

const versionOf = ({ store }: Worker, id: string): number | undefined =>
  store.db.value('SELECT lease_version FROM automation_leases WHERE run_id = ?', id);

describe('leases', () => {
  it('[LE-1] a lease has one holder, and its version increases with every claim', () => {
    const worker = openWorker();
    const { automationLeases } = worker.store;
    const id = register(worker);
    const first = claimed(worker, id, 'w1');
    expect(first.version).toBe(1);
    expect(automationLeases.claim(id, 'w2', ['queued'])).toBeNull();
    expect(automationLeases.claim(id, 'w1', ['queued'])).toBeNull();
    automationLeases.release(first);
    expect(claimed(worker, id, 'w2').version).toBe(2);
  });

  it('[LE-1] only a run in one of the named statuses can be claimed', () => {
    const worker = openWorker();
    const { automationLeases } = worker.store;
    const id = register(worker);
    expect(automationLeases.claim(id, 'w', ['ready', 'running'])).toBeNull();
    expect(automationLeases.claim('nowhere', 'w', UNFINISHED)).toBeNull();
    expect(versionOf(worker, id)).toBeUndefined();
    expect(automationLeases.claim(id, 'w', ['queued'])?.version).toBe(1);
  });

  it('[LE-1] of several processes that claim the same runs, one gets each; after it expired, one gets it again', async () => {
    const worker = openWorker();
    const { store, runs } = worker;
    addWorkflow(store);
    const ids = Array.from({ length: 60 }, (_, n) =>
      registerInput(store, runs, 'workflow-1', `k${n}`),
    ).toSorted();
    const claimAll = async (): Promise<string[]> => {
      const results = await Promise.all(
        ['a', 'b', 'c'].map((owner) =>
          runNode('test/support/workers/claim-leases.ts', [store.path, owner, ...ids]),
        ),
      );
      for (const { code, stderr } of results) expect([code, stderr]).toEqual([0, '']);
      return results.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean)).toSorted();
    };
    expect(await claimAll()).toEqual(ids.map((id) => `${id} 1`));
    expect(await claimAll()).toEqual([]);
    store.db.write(() => store.db.run('UPDATE automation_leases SET lease_expires_at = 1'));
    expect(await claimAll()).toEqual(ids.map((id) => `${id} 2`));
  });

  it("[LE-2] a stage whose lease expired can't move the run, before or after another stage claims it", async () => {
    const worker = openWorker();
    const { store, runs } = worker;
    const id = register(worker);
    const lease = claimed(worker, id, 'w1');
    const first = { actor: 'stage', event: { type: 'enrich' }, lease } as const;
    await store.clock.advance(LEASE_MS);
    expect(runs.move(id, first).type).toBe('fenced');
    const taken = claimed(worker, id, 'w2');
    expect(taken.version).toBe(2);
    expect(runs.move(id, first).type).toBe('fenced');
    store.automationLeases.release(lease);
    expect(store.automationLeases.holds(taken)).toBe(true);
    expect(store.automationRuns.get(id)?.state.status).toBe('queued');
    expect(runs.move(id, { ...first, lease: taken }).type).toBe('moved');
  });

  it('[LE-3] endAll ends every lease, and versions are not reused', () => {
    const worker = openWorker();
    const id = register(worker);
    const lease = claimed(worker, id, 'w1');
    worker.store.automationLeases.endAll();
    expect(worker.store.automationLeases.holds(lease)).toBe(false);
    expect(claimed(worker, id, 'w2').version).toBe(2);
  });

  it('[LE-2] an earlier lease of the same worker is lost once it claims again', async () => {
    const worker = openWorker();
    const { automationLeases: leases, clock } = worker.store;
    const id = register(worker);
    const first = claimed(worker, id, 'w1');
    await clock.advance(LEASE_MS);
    const second = claimed(worker, id, 'w1');
    expect([leases.holds(first), leases.holds(second)]).toEqual([false, true]);
    leases.release(first);
    expect(leases.holds(second)).toBe(true);
  });

  it('[LE-2] a stage that lost its lease in the middle writes nothing: no status, event, artifact or outbox row', async () => {
    let resume: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (resume = resolve));
    const inputs = startInputs({
      stages: {
        enqueue_enrich: (context, runId) => {
          const put = async (value: Json) => {
            await late;
            return context.artifacts.put(value);
          };
          const artifacts = Object.assign(Object.create(context.artifacts), { put });
          return enrich({ ...context, artifacts }, runId);
        },
      },
    });
    const { store } = inputs.under;
    const workflowId = await inputs.under.add(READ_POSTER);
    const id = inputs.put(workflowId);
    while (inputs.run(id).state.status !== 'enriching') await new Promise((go) => setImmediate(go));
    await store.clock.advance(5 * 60_000);
    // Another worker has claimed the run and has done nothing yet.
    expect(store.automationLeases.claim(inputs.run(id).id, 'w2', UNFINISHED)?.version).toBe(2);
    const { moves } = inputs.run(id);
    resume();
    await inputs.pipeline.stop();
    expect(inputs.run(id)).toMatchObject({
      moves,
      state: { status: 'enriching' },
      artifacts: null,
    });
    expect(store.inputChain.eventIds(id, 1)).toEqual([]);
    expect(store.outbox.depth()).toBe(1);
  });

  /** Lets the dispatcher run the real stage on a database that refuses one of its two writes. */
  it.each([
    ['the first step', 'UPDATE OF progress ON automation_runs', "NEW.status = 'enriching'"],
    ['the claim', 'INSERT ON automation_leases', '1'],
  ])(
    '[LE-4] a stage whose write fails at %s leaves neither claim nor step',
    async (_, on, when) => {
      const inputs = startInputs();
      const { store } = inputs.under;
      const workflowId = await inputs.under.add(READ_POSTER);
      store.db.run(
        `CREATE TEMP TRIGGER fault BEFORE ${on} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'no disk'); END`,
      );
      const id = await inputs.start(workflowId);
      expect(inputs.run(id).state.status).toBe('queued');
      expect(store.db.value('SELECT count(*) FROM automation_leases')).toBe(0);
      expect(store.outbox.list({ status: 'pending', limit: 5 }).rows).toMatchObject([
        { attempts: 1, lastError: expect.stringContaining('no disk') },
      ]);
      store.db.run('DROP TRIGGER fault');
      await inputs.pass(OUTBOX_BASE_MS);
      expect(inputs.path(id)).toEqual(['enriching', 'ready', 'running']);
    },
  );

  it('[LE-5] every stage raises the version and releases the run: enrich, execute, finalizer and completion writer', async () => {
    const worker = openWorker();
    const { store, runs, context, finalizer } = worker;
    const id = register(worker);
    await enrich(context, id);
    expect(versionOf(worker, id)).toBe(1);
    // An input without a topic or an event runs until its deadline.
    const other = register(worker, 'other');
    toStatus(worker, other, 'enrich', 'enriched');
    await execute(context, other);
    expect(versionOf(worker, other)).toBe(1);

    const third = register(worker, 'third');
    await store.clock.advance(RUN_DEADLINE_MS);
    await finalizer.pass();
    expect(store.automationRuns.get(third)?.state.status).toBe('timed_out');
    expect(versionOf(worker, third)).toBe(1);

    const fourth = register(worker, 'fourth');
    toStatus(worker, fourth, 'enrich', 'enriched', 'execute');
    runs.complete(store.automationRuns.get(fourth)?.inputId ?? '', 'cause', { ok: true });
    await writeCompletion(context, fourth);
    expect(store.automationRuns.get(fourth)?.completionArtifactRef).not.toBeNull();
    expect(versionOf(worker, fourth)).toBe(1);

    const held = 'SELECT count(*) FROM automation_leases WHERE lease_expires_at > 0';
    expect(store.db.value(held)).toBe(0);
  });

  it('[AR-9] one pass of the finalizer reaches every run, also after one that it fails to write', async () => {
    const worker = openWorker();
    const { store, finalizer } = worker;
    const ids = Array.from({ length: 120 }, (_, n) => register(worker, `k${n}`));
    const [broken] = ids;
    await store.clock.advance(RUN_DEADLINE_MS);
    store.db.run(
      `CREATE TEMP TRIGGER fault BEFORE UPDATE ON automation_runs WHEN OLD.id = '${broken}'
       BEGIN SELECT RAISE(ABORT, 'no disk'); END`,
    );
    const unfinished = (): string[] =>
      ids.filter((id) => store.automationRuns.get(id)?.state.status !== 'timed_out');
    await finalizer.pass();
    expect(unfinished()).toEqual([broken]);
    store.db.run('DROP TRIGGER fault');
    await finalizer.pass();
    expect(unfinished()).toEqual([]);
  });
});

describe('two workers on one database', () => {
  async function completed(): Promise<{ a: Worker; b: Worker; id: string }> {
    const a = openWorker();
    const id = register(a);
    toStatus(a, id, 'enrich', 'enriched', 'execute');
    a.runs.complete(a.store.automationRuns.get(id)?.inputId ?? '', 'cause', { ok: true });
    return { a, b: another(a), id };
  }

  it('[LE-5] while one worker writes a completion, another one is refused and writes nothing', async () => {
    const { a, b, id } = await completed();
    let inside: unknown;
    const put = a.context.artifacts.put.bind(a.context.artifacts);
    a.context.artifacts.put = async (value) => {
      inside = await writeCompletion(b.context, id).catch((error: unknown) => error);
      expect(b.store.automationRuns.get(id)?.completionArtifactRef).toBeNull();
      return put(value);
    };
    await writeCompletion(a.context, id);
    expect(inside).toBeInstanceOf(StageLost);
    expect(versionOf(a, id)).toBe(1);
    expect(b.store.automationRuns.get(id)?.completionArtifactRef).not.toBeNull();
    // The repeated row finds the artifact and only marks itself done.
    await writeCompletion(b.context, id);
    expect(versionOf(a, id)).toBe(1);
    expect(b.store.outbox.due(10).map(({ kind }) => kind)).not.toContain('write_completion');
  });

  it('[LE-5] a completion writer whose lease expired writes nothing after another one took over', async () => {
    const { a, b, id } = await completed();
    let seen: string | null | undefined;
    const put = a.context.artifacts.put.bind(a.context.artifacts);
    a.context.artifacts.put = async (value) => {
      await a.store.clock.advance(LEASE_MS);
      await writeCompletion(b.context, id);
      seen = b.store.automationRuns.get(id)?.completionArtifactRef;
      return { ...(await put(value)), ref: 'f'.repeat(64) };
    };
    await expect(writeCompletion(a.context, id)).rejects.toThrow(StageLost);
    expect(seen).toMatch(/^[0-9a-f]{64}$/);
    expect(a.store.automationRuns.get(id)?.completionArtifactRef).toBe(seen);
    expect(versionOf(a, id)).toBe(2);
  });

  it('[LE-5] the finalizer leaves a run alone while another worker holds its lease, and ends it after it expired', async () => {
    const a = openWorker();
    const id = register(a);
    await a.store.clock.advance(RUN_DEADLINE_MS);
    const held = claimed(a, id, 'enricher');
    const b = another(a);
    await b.finalizer.pass();
    expect(b.store.automationRuns.get(id)?.state.status).toBe('queued');
    await a.store.clock.advance(LEASE_MS);
    await b.finalizer.pass();
    expect(b.store.automationRuns.get(id)?.state.status).toBe('timed_out');
    // The worker that lost its lease can't report.
    const late = a.runs.move(id, { actor: 'stage', event: { type: 'enrich' }, lease: held });
    expect(late.type).toBe('fenced');
    expect(versionOf(a, id)).toBe(2);
  });

  it('[LE-5] what the finalizer writes is refused under a lease that was lost', async () => {
    const a = openWorker();
    const id = register(a);
    const { inputId } = a.store.automationRuns.get(id) ?? { inputId: '' };
    const lost = claimed(a, id, 'finalizer');
    await a.store.clock.advance(LEASE_MS);
    claimed(a, id, 'enricher');
    const stop = { as: 'timed_out', reason: 'late', lease: lost } as const;
    expect(a.runs.stop(inputId, stop)).toBeNull();
    expect(a.runs.end(id, stop).type).toBe('fenced');
    const run = a.store.automationRuns.get(id);
    if (!run) throw new Error('no run');
    a.runs.remind(run, 1, lost);
    expect(a.store.automationRuns.lastReminder(run)).toBeNull();
    expect(run).toMatchObject({ state: { status: 'queued' }, stopping: null });
  });
});
