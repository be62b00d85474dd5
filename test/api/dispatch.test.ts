// The dispatcher of API calls on a real host: results and error types.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import SQLite from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost } from '#main/host/host.ts';
import { type CallName } from '#shared/api/contract.ts';
import { type ApiResult } from '#shared/api/errors.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { nested } from '#test/support/arbitrary-from-zod.ts';
import { fail, makeRuns, runEvent, succeed } from '#test/support/api-calls.ts';
import { watchCommits } from '#test/support/watch-commits.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const QUIET = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Quiet', topics: ['in'],
  producers: { p: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {},
});`;

describe('refused calls', () => {
  test('[AP-1] an invalid shape is refused with the path and problem of each field', async () => {
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

  test('[AP-1] the error is short, even for a very large input', async () => {
    const { dispatch } = createTestHost();
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key-${i}`, i]));
    for (const input of [keys, { ['k'.repeat(100_000)]: 1 }]) {
      const error = await fail(dispatch, 'host.info', input);
      expect(error.type).toBe('invalid_input');
      expect(JSON.stringify(error).length).toBeLessThan(2000);
    }
  });

  test('[AP-1] nesting up to the limit is accepted, deeper nesting is refused', async () => {
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
    // The event and its payload count as levels.
    expect(await append(98)).toMatchObject({ ok: true, output: { persisted: true } });
    const wrote = watchCommits(host.folder.dir);
    for (const levels of [99, 1000, 2500, 500_000]) {
      expect(await append(levels)).toMatchObject({ ok: false, error: { type: 'invalid_input' } });
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-1] a lone surrogate is refused and nothing is written', async () => {
    const host = createTestHost();
    const wrote = watchCommits(host.folder.dir);
    for (const name of ['\ud800', 'a\udc00b']) {
      const error = await fail(host.dispatch, 'workflows.create', { requestId: 'r', name });
      expect(error).toMatchObject({ type: 'invalid_input' });
      expect(error.message).toContain('half a character');
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-1] a key named __proto__ is refused and nothing is written', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    for (const payload of ['{"__proto__":{"a":1}}', '{"a":[{"__proto__":1}]}']) {
      const event = { ...runEvent(active, spaceId), payload: JSON.parse(payload) as object };
      expect((await fail(host.dispatch, 'runs.appendEvent', event)).type).toBe('invalid_input');
    }
    expect(wrote()).toBe(false);
  });

  test('[AP-1] a payload over the limit is refused with the limit', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const event = runEvent(active, spaceId, { payload: { text: 'x'.repeat(MAX_PAYLOAD_BYTES) } });
    const error = await fail(host.dispatch, 'runs.appendEvent', event);
    expect(error.type).toBe('invalid_input');
    expect(error.message).toContain(`${MAX_PAYLOAD_BYTES}`);
    expect(wrote()).toBe(false);
  });

  test('[FL-3] [FL-2] a flag set over the API holds for later sessions; the active one keeps its own', async () => {
    const host = createTestHost();
    const { active } = await makeRuns(host.dispatch);
    const { workflowId } = active;
    expect((await fail(host.dispatch, 'flags.set', { name: 'x', isOn: true })).type).toBe(
      'invalid_input',
    );
    await succeed(host.dispatch, 'flags.set', { name: 'sandboxPreview', isOn: true });
    await succeed(host.dispatch, 'flags.set', { name: 'daemonRunIdStrict', isOn: false });
    const { flags } = await succeed(host.dispatch, 'runs.get', { runId: active.id });
    expect(flags).toEqual({ sandboxPreview: false, daemonRunIdStrict: true });
    const end = { runId: active.id, status: 'completed', terminalEventId: 'e' } as const;
    await succeed(host.dispatch, 'runs.finish', end);
    const next = { workflowId, startRequestId: 'manual:next' };
    expect((await succeed(host.dispatch, 'runs.start', next)).run.flags).toEqual({
      sandboxPreview: true,
      daemonRunIdStrict: false,
    });
  });

  test('[RL-14] an event for a session that another device started is refused, and nothing is written', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const { db } = host.folder;
    db.write(() => {
      db.value('SELECT crsql_internal_sync_bit(1)');
      db.run(`UPDATE script_runs SET facts = json_set(facts, '$.device_id', 'other')`);
      db.value('SELECT crsql_internal_sync_bit(0)');
    });
    const wrote = watchCommits(host.folder.dir);
    const error = await fail(host.dispatch, 'runs.appendEvent', runEvent(active, spaceId));
    expect(error).toMatchObject({ type: 'conflict' });
    expect(error.message).toContain('Another device started this session');
    expect(wrote()).toBe(false);
  });

  test('[RL-9] the log of a session is read in pages, after a given number', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    for (const stepId of ['a', 'b', 'c']) {
      await succeed(host.dispatch, 'runs.appendEvent', runEvent(active, spaceId, { stepId }));
    }
    const numbers = async (page: object): Promise<number[]> => {
      const asked = { runId: active.id, ...page };
      const { events } = await succeed(host.dispatch, 'runs.fetchEvents', asked);
      return events.map(({ runSeq }) => runSeq);
    };
    expect(await numbers({})).toEqual([1, 2, 3, 4]);
    expect(await numbers({ limit: 2 })).toEqual([1, 2]);
    expect(await numbers({ afterSeq: 2, limit: 1 })).toEqual([3]);
    expect(await numbers({ afterSeq: 4 })).toEqual([]);
  });

  test('[AP-2] unknown workflow and session ids give not_found', async () => {
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

  test('[AP-2] ending an ended session again is an illegal transition and changes nothing', async () => {
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

  test('[AP-2] only the engine starts sessions in the main lane', async () => {
    const host = createTestHost();
    const { workflowId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const start = { workflowId, lane: 'main', startRequestId: 'third' } as const;
    const error = await fail(host.dispatch, 'runs.start', start);
    expect(error.type).toBe('conflict');
    expect(error.message).toContain('Only the engine starts sessions in the main lane.');
    expect(wrote()).toBe(false);
  });

  test('[SR-16] nobody but the engine ends its sessions or writes their logs', async () => {
    const host = createTestHost();
    const { spaceId } = await makeRuns(host.dispatch);
    const path = join(tempFolder(), 'quiet.ts');
    writeFileSync(path, QUIET);
    const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
    await succeed(host.dispatch, 'workflows.runNow', { workflowId, producer: 'p', requestId: 'r' });
    await host.engine.idle();
    const { runs } = await succeed(host.dispatch, 'runs.list', { workflowId });
    const session = runs.find(({ lane }) => lane === 'main');
    if (!session) throw new Error('the engine started no session');
    const wrote = watchCommits(host.folder.dir);
    const end = { runId: session.id, status: 'failed', terminalEventId: 't' };
    const event = runEvent(session, spaceId, { environmentId: 'main' });
    for (const [name, input] of [
      ['runs.finish', end],
      ['runs.appendEvent', event],
    ] as const) {
      const error = await fail(host.dispatch, name, input);
      expect(error.type, name).toBe('conflict');
      expect(error.message, name).toContain('The engine runs this session');
    }
    expect(wrote()).toBe(false);
  });

  test('[RL-12] after its end a log takes no event about the session, only repetitions', async () => {
    const host = createTestHost();
    const { active, spaceId } = await makeRuns(host.dispatch);
    const append = (eventType: string, stepId?: string): Promise<ApiResult<unknown>> =>
      host.dispatch(
        'runs.appendEvent',
        runEvent(active, spaceId, { eventType, ...(stepId === undefined ? {} : { stepId }) }),
      );
    expect(await append('run.failed')).toMatchObject({ ok: true, output: { persisted: true } });
    const wrote = watchCommits(host.folder.dir);
    for (const type of ['run.started', 'run.resumed', 'run.completed']) {
      expect(await append(type, 'again')).toMatchObject({
        ok: false,
        error: {
          type: 'illegal_transition',
          message: expect.stringContaining('already ends with "run.failed"') as string,
        },
      });
    }
    expect(wrote()).toBe(false);
    expect(await append('run.failed')).toMatchObject({ ok: true, output: { persisted: false } });
    expect(await append('step.logged', 'late')).toMatchObject({ ok: true });
  });

  test('[AP-2] a start beside an active session is a conflict with its id', async () => {
    const host = createTestHost();
    const { active, workflowId } = await makeRuns(host.dispatch);
    const wrote = watchCommits(host.folder.dir);
    const error = await fail(host.dispatch, 'runs.start', { workflowId, startRequestId: 'third' });
    expect(error.type).toBe('conflict');
    expect(error.problems).toEqual([`active run: ${active.id}`]);
    expect(wrote()).toBe(false);
    expect((await succeed(host.dispatch, 'runs.list', { workflowId })).runs).toHaveLength(2);
  });

  test('[AP-2] a locked database gives busy, and the call succeeds later', async () => {
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

  test('[AP-1] [DB-4] an invalid cursor is refused with the advice to omit "after"', async () => {
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

describe('an internal error', () => {
  test('[AP-4] is logged with its cause, and the reply does not contain it', async () => {
    const written = new PassThrough({ encoding: 'utf8' });
    const dataDir = tempFolder();
    const host = createHost({ dataDir, createLog: () => pino(written) });
    onTestFinished(() => host.close());
    const { active } = await makeRuns(host.dispatch);
    // A missing table causes a real internal error.
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
    '[AP-5] with another %s than its session is refused',
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
  test('[AP-6] twice with one request id creates one and writes once', async () => {
    const host = createTestHost();
    const request = { requestId: 'r', name: 'Sort the mail', code: 'export {};' };
    const first = await succeed(host.dispatch, 'workflows.create', request);
    const wrote = watchCommits(host.folder.dir);
    expect(await succeed(host.dispatch, 'workflows.create', request)).toEqual(first);
    expect(wrote()).toBe(false);
    expect((await succeed(host.dispatch, 'workflows.list', {})).workflows).toEqual([first]);
  });

  test('[AP-6] with a used request id and another name or script is a conflict', async () => {
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
