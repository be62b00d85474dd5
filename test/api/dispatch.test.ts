// The one door of every call, on a real host: first each kind of answer, then the fuzz of it all.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHost } from '#main/host/host.ts';
import { CALL_NAMES, contract, type CallName } from '#shared/api/contract.ts';
import { API_ERROR_TYPES, type ApiResult } from '#shared/api/errors.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { nameOfKey } from '#shared/sync/device-id.ts';
import { runEventKey, type RunEventWrite } from '#shared/run-log.ts';
import {
  ALWAYS_WRONG,
  fitting,
  nested,
  spoilt,
  type Known,
} from '#test/support/arbitrary-from-zod.ts';
import { fail, makeRuns, runEvent, succeed } from '#test/support/calls.ts';
import { watchCommits } from '#test/support/commits.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

describe('what is refused', () => {
  test('[AP-1] a wrong shape is refused with the place and what is wrong there', async () => {
    const { dispatch } = createTestHost();
    const error = await fail(dispatch, 'workflows.create', { requestId: 'r', name: ' ', mor: 1 });
    expect(error.type).toBe('invalid_input');
    expect(error.problems).toEqual(['name: must not be empty', expect.stringContaining('"mor"')]);
    expect(error.message).toContain('must not be empty');
    expect(error.message).toContain('Nothing was written.');
  });

  test.each([undefined, null, 1, 'text', [], true])(
    '[AP-1] an input that is %j is refused',
    async (input) => {
      const { dispatch } = createTestHost();
      expect((await fail(dispatch, 'host.info', input)).type).toBe('invalid_input');
    },
  );

  test.each(['', 'nothing', '__proto__', 'constructor', 'toString', 'host.info ', 'HOST.INFO'])(
    '[AP-1] a call named %j is unknown',
    async (name) => {
      const { dispatch } = createTestHost();
      const error = await fail(dispatch, name, {});
      expect(error.type).toBe('unknown_call');
      expect(error.message).toContain(JSON.stringify(name));
    },
  );

  test('[AP-1] what is wrong is told in a few lines, however much was sent', async () => {
    const { dispatch } = createTestHost();
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key-${i}`, i]));
    for (const input of [keys, { ['k'.repeat(100_000)]: 1 }]) {
      const error = await fail(dispatch, 'host.info', input);
      expect(error.type).toBe('invalid_input');
      expect(JSON.stringify(error).length).toBeLessThan(2000);
    }
  });

  test('[AP-1] nesting that no parser could walk is refused, and the limit itself is not', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const append = (levels: number): Promise<ApiResult<unknown>> =>
      host.dispatch(
        'runs.appendEvent',
        runEvent(active, spaceId, {
          stepId: `${levels}`,
          payload: { deep: nested(levels) as string },
        }),
      );
    // The event and its payload are levels, too.
    expect(await append(98)).toMatchObject({ ok: true, output: { persisted: true } });
    const wrote = watchCommits(host.folder.dir);
    for (const levels of [99, 1000, 2500, 500_000]) {
      expect(await append(levels)).toMatchObject({ ok: false, error: { type: 'invalid_input' } });
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-1] half a character is refused: it could not be kept, nor be told from another', async () => {
    const host = createTestHost();
    const wrote = watchCommits(host.folder.dir);
    for (const name of ['\ud800', 'a\udc00b']) {
      const error = await fail(host.dispatch, 'workflows.create', { requestId: 'r', name });
      expect(error).toMatchObject({ type: 'invalid_input' });
      expect(error.message).toContain('half a character');
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-1] a key named __proto__ is refused, not lost on the way', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    for (const payload of ['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}']) {
      const event = { ...runEvent(active, spaceId), payload: JSON.parse(payload) as object };
      expect((await fail(host.dispatch, 'runs.appendEvent', event)).type).toBe('invalid_input');
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-1] a payload over the limit is refused with both sizes', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const event = runEvent(active, spaceId, { payload: { text: 'x'.repeat(MAX_PAYLOAD_BYTES) } });
    const error = await fail(host.dispatch, 'runs.appendEvent', event);
    expect(error.type).toBe('invalid_input');
    expect(error.message).toContain(`${MAX_PAYLOAD_BYTES}`);
    expect(wrote()).toBe(false);
  });

  test('[AP-2] unknown ids are not found, in every call that takes one', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const unknown: [CallName, unknown][] = [
      ['workflows.get', { workflowId: 'nobody' }],
      ['runs.get', { runId: 'nobody' }],
      ['runs.start', { workflowId: 'nobody', startRequestId: 's' }],
      ['runs.finish', { runId: 'nobody', status: 'failed', terminalEventId: 't' }],
      ['runs.appendEvent', runEvent({ ...active, id: 'nobody' }, spaceId)],
      ['runs.fetchEvents', { runId: 'nobody' }],
      ['runs.snapshot', { runId: 'nobody' }],
    ];
    for (const [name, input] of unknown) {
      const error = await fail(host.dispatch, name, input);
      expect(error, name).toMatchObject({ type: 'not_found' });
      expect(error.message, name).toContain('"nobody"');
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-2] another end of an ended run is an illegal transition', async () => {
    const host = createTestHost();
    const { ended } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const end = { runId: ended.id, status: 'failed', terminalEventId: 'end-2' };
    const error = await fail(host.dispatch, 'runs.finish', end);
    expect(error.type).toBe('illegal_transition');
    expect(error.message).toContain('"completed"');
    expect(await succeed(host.dispatch, 'runs.get', { runId: ended.id })).toEqual(ended);
    expect(wrote()).toBe(false);
  });

  test('[AP-2] a start beside an active run is a conflict that names it', async () => {
    const host = createTestHost();
    const { active, workflowId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const error = await fail(host.dispatch, 'runs.start', { workflowId, startRequestId: 'third' });
    expect(error.type).toBe('conflict');
    expect(error.problems).toEqual([`active run: ${active.id}`]);
    expect(wrote()).toBe(false);
    expect((await succeed(host.dispatch, 'runs.list', { workflowId })).runs).toHaveLength(2);
  });

  test('[AP-2] a database that others hold is busy, told apart from a failure', async () => {
    const host = createTestHost();
    host.folder.db.pragma('busy_timeout = 1');
    const other = new SQLite(host.folder.db.path);
    onTestFinished(() => {
      other.close();
    });
    other.exec('BEGIN IMMEDIATE');
    const request = { requestId: 'r', name: 'n' };
    expect((await fail(host.dispatch, 'workflows.create', request)).type).toBe('busy');
    other.exec('ROLLBACK');
    expect((await succeed(host.dispatch, 'workflows.create', request)).name).toBe('n');
  });

  test('[AP-1] [DB-4] a cursor that is not ours is refused with what to do', async () => {
    const { dispatch } = createTestHost();
    for (const after of ['', 'x', '1', '1.', '.a', '1e3.a', '-1.a', '9999999999999999.a']) {
      for (const name of ['workflows.list', 'runs.list']) {
        const error = await fail(dispatch, name, { after });
        expect(error.type, after).toBe('invalid_input');
        expect(error.message, after).toContain('without "after"');
      }
    }
  });
});

describe('a failure inside', () => {
  test('[AP-4] is logged with its cause and answered without it', async () => {
    const written = new PassThrough({ encoding: 'utf8' });
    const dataDir = tempFolder();
    const host = createHost({ dataDir, createLog: () => pino(written) });
    onTestFinished(() => host.close());
    const { active } = await makeRuns(host.dispatch);
    // A broken inside that is real: a table of the host is gone.
    host.folder.db.exec('DROP TABLE run_snapshots');

    const error = await fail(host.dispatch, 'runs.snapshot', { runId: active.id });
    expect(error.type).toBe('internal');
    expect(error.message).toContain('"runs.snapshot"');
    expect(JSON.stringify(error)).not.toMatch(/run_snapshots|sqlite|\.ts|node_modules/i);

    const [entry] = String(written.read()).trim().split('\n').slice(-1);
    expect(JSON.parse(entry ?? '')).toMatchObject({
      level: 50,
      call: 'runs.snapshot',
      err: { message: expect.stringContaining('run_snapshots'), stack: expect.any(String) },
    });
  });
});

describe('a log entry', () => {
  test.each(['tenantId', 'projectId', 'environmentId'] as const)(
    '[AP-5] with another %s than its run is refused',
    async (field) => {
      const host = createTestHost();
      const { active, spaceId } = await makeRuns(host.dispatch);
      const wrote = watchCommits(host.folder.dir);
      const event = runEvent(active, spaceId, { [field]: 'another' });
      const error = await fail(host.dispatch, 'runs.appendEvent', event);
      expect(error.type).toBe('invalid_input');
      expect(error.problems).toHaveLength(1);
      expect(error.problems?.[0]).toMatch(new RegExp(`^${field}: should be`));
      expect(wrote()).toBe(false);

      const right = await succeed(host.dispatch, 'runs.appendEvent', runEvent(active, spaceId));
      expect(right).toMatchObject({ persisted: true, runSeq: 2 });
    },
  );
});

describe('creating a workflow', () => {
  test('[AP-6] twice with one request id makes one', async () => {
    const host = createTestHost();
    const request = { requestId: 'r', name: 'Sort the mail', code: 'export {};' };
    const first = await succeed(host.dispatch, 'workflows.create', request);
    const wrote = watchCommits(host.folder.dir);
    expect(await succeed(host.dispatch, 'workflows.create', request)).toEqual(first);
    expect(wrote()).toBe(false);
    expect((await succeed(host.dispatch, 'workflows.list', {})).workflows).toEqual([first]);
  });

  test('[AP-6] with the request id of another name or script is a conflict', async () => {
    const host = createTestHost();
    const request = { requestId: 'r', name: 'Sort the mail', code: 'export {};' };
    const first = await succeed(host.dispatch, 'workflows.create', request);
    const wrote = watchCommits(host.folder.dir);
    const others = [{ name: 'Another' }, { code: 'other();' }, { code: undefined }];
    for (const other of others) {
      const error = await fail(host.dispatch, 'workflows.create', { ...request, ...other });
      expect(error.type).toBe('conflict');
      expect(error.message).toContain('"Sort the mail"');
    }
    expect(wrote()).toBe(false);
    expect((await succeed(host.dispatch, 'workflows.list', {})).workflows).toEqual([first]);
  });
});

/** What can be done once, or not at all in the state that these tests are in. */
const ONCE_AT_MOST: readonly CallName[] = [
  // A file is never replaced by a new one.
  'workflows.newFile',
  // This database was never a backup.
  'restored.goOn',
  // Only what waits to be carried out can be taken back, and only once.
  'inbox.withdraw',
  'jobs.cancel',
  'handlerRuns.cancel',
  'inbox.answer',
  'workflows.activate',
  'events.rerun',
  'inputs.skip',
  'inputs.settle',
  'hooks.remove',
  // A request makes its hook once, and few of them name a topic of the right workflow.
  'hooks.create',
  'outbox.replay',
  // A random scope is none that a tool understands.
  'workflows.grant',
  // One device is there to be unpaired; nobody answers to be joined or compared with.
  'devices.unpair',
  'devices.join',
  'devices.compare.start',
  'devices.compare.confirm',
  'devices.compare.reject',
  'workflows.handover',
  'workflows.takeover',
  'incidents.acknowledge',
  // There is no desktop here.
  'desktop.set',
  'desktop.openFolder',
];

/** The file of an earlier one is watched, and read again while the next is answered. */
const WRITES_FILES: readonly CallName[] = ['workflows.newFile', 'workflows.saveFile'];

const ASKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Asker', uses: { ask: {} }, topics: ['in'],
  producers: { never: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: { ask: {
    subscribes: 'in', publishes: [],
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return { reservations: event ? [event] : [] };
    },
    async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); },
  } },
});`;

describe('the contract, fuzzed from its own schemas', () => {
  /** Ids that hit something, so that calls get past the first door. */
  async function knownThings(host: ReturnType<typeof createTestHost>): Promise<Known> {
    const { active, ended, workflowId, spaceId } = await makeRuns(host.dispatch);
    const { next } = await succeed(host.dispatch, 'runs.list', { limit: 1 });
    const asked = await makeQuestion(host);
    const { invitationId } = await succeed(host.dispatch, 'devices.invite', {});
    const other = { ...nameOfKey(Uint8Array.of(1)), name: 'Other', addresses: [] };
    host.stores.peers.pair({ ...other, pairedBy: 'link' });
    return {
      ...asked,
      ...(await makeJob(host)),
      runId: [active.id, ended.id],
      workflowId: [workflowId, ...asked.workflowId],
      projectId: [workflowId],
      tenantId: [spaceId],
      environmentId: ['main'],
      startRequestId: ['first', 'second'],
      requestId: ['one request', 'another request'],
      terminalEventId: ['end-1'],
      after: [next],
      invitationId: [invitationId],
      deviceId: [other.deviceId],
      address: ['127.0.0.1:1'],
    };
  }

  /** A real workflow that asks something: a run, its effect, its event. Then the engine rests. */
  async function makeQuestion(host: ReturnType<typeof createTestHost>) {
    const path = join(tempFolder(), 'asker.ts');
    writeFileSync(path, ASKER);
    const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
    const event = { workflowId, topic: 'in', messageId: 'm', title: 'm', payload: null };
    const { eventId } = await succeed(host.dispatch, 'events.publish', event);
    const question = await vi.waitFor(
      async () => {
        const { items } = await succeed(host.dispatch, 'inbox.list', {});
        const [item] = items;
        if (item?.type !== 'question') throw new Error('not asked yet');
        return item;
      },
      { timeout: 20_000 },
    );
    const things = await makeInput(host, workflowId);
    await host.inputs.pipeline.stop();
    await host.engine.stop();
    return {
      ...things,
      workflowId: [workflowId],
      path: [path],
      dir: [tempFolder()],
      to: [tempFolder()],
      source: [ASKER],
      basedOn: [(await succeed(host.dispatch, 'workflows.file', { workflowId })).sha],
      fileName: ['asker.ts', 'another.js'],
      scriptId: [host.stores.workflows.get(workflowId)?.scriptId],
      topic: ['in'],
      producer: ['never'],
      eventId: [eventId],
      messageId: ['m', 'n'],
      handlerRunId: [question.handlerRunId],
      mutationId: [question.mutationId],
    };
  }

  /** An input, a hook, and a row of the outbox that waits for a person. */
  async function makeInput(host: ReturnType<typeof createTestHost>, workflowId: string) {
    const start = { requestId: 'an input', workflowId, payload: {} };
    const { input } = await succeed(host.dispatch, 'inputs.start', start);
    const { hook } = await succeed(host.dispatch, 'hooks.create', {
      requestId: 'a hook',
      workflowId,
      name: 'hook',
      auth: { kind: 'bearer' },
    });
    const { db } = host.folder;
    db.run(`INSERT INTO outbox (organization_id, run_id, kind, status, available_at, created_at)
      VALUES ('space', 'run', 'enqueue_enrich', 'dead', 0, 0)`);
    const rowId = db.value<number>(`SELECT id FROM outbox WHERE run_id = 'run'`);
    return {
      inputId: [input.id, input.run.id],
      hookId: [hook.id],
      rowId: [rowId],
      auth: [{ kind: 'bearer' }, { kind: 'github' }, { kind: 'stripe', toleranceS: 60 }],
      dedup: [{ by: 'body' }, { by: 'header', name: 'x-id' }, { by: 'path', path: 'a.b' }],
      redactPaths: [[], ['a.b', 'items.*.note']],
      secret: ['a-secret-of-some-length'],
    };
  }

  /** A listed script, and a job of it that waits: the runner is switched off here. */
  async function makeJob(host: ReturnType<typeof createTestHost>) {
    const script = { title: 'T', executable: '/bin/true', args: { word: { type: 'string' } } };
    const registry = { repos: { home: { path: host.folder.dir } }, scripts: { nothing: script } };
    writeFileSync(join(host.folder.dir, 'runner.json'), JSON.stringify(registry));
    const start = { requestId: 'a job', scriptKey: 'nothing', repoKey: 'home' };
    const { id } = await succeed(host.dispatch, 'jobs.start', start);
    return { jobId: [id], scriptKey: ['nothing'], repoKey: ['home'], args: [{}, { word: 'a' }] };
  }

  /** Of two random events none would ever have the right key. */
  function withRightKey(name: CallName, input: unknown): unknown {
    if (name !== 'runs.appendEvent') return input;
    return { ...(input as RunEventWrite), idempotencyKey: runEventKey(input as RunEventWrite) };
  }

  function expectAnswer(name: CallName, result: ApiResult<unknown>): void {
    if (result.ok) {
      expect(Object.keys(result).toSorted()).toEqual(['ok', 'output']);
      expect(contract[name].output.safeParse(result.output).error).toBeUndefined();
      return;
    }
    expect(API_ERROR_TYPES).toContain(result.error.type);
    expect(result.error.type, result.error.message).not.toBe('internal');
    expect(result.error.message).toMatch(/\w.*\.$/s);
  }

  test.each(CALL_NAMES)(
    '[AP-3] %s answers every input that fits, within its schema',
    async (name) => {
      const host = createTestHost();
      const known = await knownThings(host);
      const wrote = watchCommits(host.folder.dir);
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(fitting(contract[name].input, known), async (made) => {
          const input = withRightKey(name, made);
          wrote();
          const result = await host.dispatch(name, input);
          expectAnswer(name, result);
          if (result.ok) answered += 1;
          else if (!WRITES_FILES.includes(name)) expect(wrote()).toBe(false);
        }),
        // Some copy or make a whole database.
        { numRuns: ['backups.make', 'workflows.try'].includes(name) ? 25 : 100 },
      );
      // Else the known ids missed, and this would only have fuzzed the way to "not found".
      if (!ONCE_AT_MOST.includes(name)) expect(answered).toBeGreaterThan(5);
    },
  );

  test.each(CALL_NAMES)(
    '[AP-1] %s refuses every spoilt input, and writes nothing',
    async (name) => {
      const host = createTestHost();
      const known = await knownThings(host);
      const wrote = watchCommits(host.folder.dir);
      const { input: schema } = contract[name];
      await fc.assert(
        fc.asyncProperty(spoilt(schema, known), async ({ how, input }) => {
          wrote();
          const result = await host.dispatch(name, input);
          expectAnswer(name, result);
          const isWrong = ALWAYS_WRONG.includes(how) || !schema.safeParse(input).success;
          if (isWrong)
            expect(result).toMatchObject({ ok: false, error: { type: 'invalid_input' } });
          if (!result.ok && !WRITES_FILES.includes(name)) expect(wrote()).toBe(false);
        }),
        { numRuns: 150 },
      );
    },
  );

  test('[AP-1] anything at all, under any name, gets an answer and never a throw', async () => {
    const host = createTestHost();
    const names = fc.oneof(fc.constantFrom(...CALL_NAMES), fc.string());
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSparseArray: true,
    });
    await fc.assert(
      fc.asyncProperty(names, anything, async (name, input) => {
        const result = await host.dispatch(name, input);
        if (!result.ok)
          expect(['invalid_input', 'unknown_call', 'not_found']).toContain(result.error.type);
        else expect(contract[name as CallName].output.safeParse(result.output).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
