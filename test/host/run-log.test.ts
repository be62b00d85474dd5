// The life of automation runs in the real log file of a real host.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { createHost, type Host } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { automationRunId } from '#shared/ids.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { refused, succeeds } from '#test/cli/holdfast.ts';
import { LOOPBACK } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import type { ServedInProcess } from '#test/support/serve-in-process.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { addWorkflow, ended, makeHook, post } from '#test/support/webhooks.ts';

/** Takes all pending events, writes one file, and publishes a result that a second consumer takes. */
const writerTo = (folder: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Writer',
  uses: { files: { folders: [${JSON.stringify(folder)}] } },
  topics: ['in', 'done'],
  consumers: {
    write: {
      subscribes: 'in', publishes: ['done'],
      async prepare(ctx) {
        const events = await ctx.peek('in', { limit: 10 });
        return events.length > 0 ? { reservations: events, data: events[0].payload } : {};
      },
      async mutate(ctx, { data }) {
        await ctx.tools.files.write({ path: ${JSON.stringify(`${folder}/`)} + data.name, text: 'written' });
      },
      async next(ctx, { data }) { await ctx.publish('done', { id: data.name, title: 'Done' }); },
    },
    read: {
      subscribes: 'done',
      async prepare(ctx) {
        const [event] = await ctx.peek('done', { limit: 1 });
        return event ? { reservations: [event] } : {};
      },
    },
  },
});`;

type Line = { readonly [field: string]: unknown };
type Logged = ServedInProcess & { readonly dir: string; readonly lines: () => Line[] };

async function logged(): Promise<Logged> {
  const dir = tempFolder();
  const host = createHost({
    dataDir: dir,
    createLog: (masker) => createLog(dir, masker),
    links: LOOPBACK,
    sandbox: sharedSandbox(),
  });
  onTestFinished(() => host.close());
  const server = await startHttpServer({ host, port: 0 });
  onTestFinished(() => server.close());
  const path = join(dir, 'logs', 'host.log');
  const lines = (): Line[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Line)
      : [];
  const { url } = server;
  return { host, token: host.token.current, url, port: Number(new URL(url).port), dir, lines };
}

async function withWriter(under: Logged): Promise<{ workflowId: string; folder: string }> {
  const folder = tempFolder();
  const workflowId = await addWorkflow(under.host, writerTo(folder), 'writer');
  under.host.stores.grants.set(workflowId, 'files', { folders: [folder] });
  return { workflowId, folder };
}

/** Every line that names one of these, in order. */
const about = (lines: readonly Line[], ...ids: string[]): Line[] =>
  lines.filter((line) => ids.some((id) => JSON.stringify(line).includes(id)));

async function completed({ stores }: Host, id: string): Promise<void> {
  await eventually(async () => {
    expect(stores.automationRuns.ofInput(id)?.completionArtifactRef ?? null).not.toBeNull();
  });
}

describe('the log at level info', () => {
  it('[LG-1] [MX-6] tells the whole life of an input, with the four ids on every line', async () => {
    const under = await logged();
    const { host, lines } = under;
    const { workflowId } = await withWriter(under);
    const { url, secret } = await makeHook(under, workflowId);
    const response = await post(
      url,
      secret,
      { name: 'a.txt' },
      { 'X-Correlation-Id': 'from-shop' },
    );
    const { id } = (await response.json()) as { id: string };
    await completed(host, id);
    const runs = await succeed(host.dispatch, 'handlerRuns.list', { workflowId });
    const ids = [id, automationRunId(id), ...runs.runs.map((run) => run.id)];
    const life = about(lines(), ...ids);
    // Stages and the lines after a commit of the engine may overlap.
    expect(life.map(({ msg }) => String(msg)).toSorted()).toEqual(
      [
        'input received',
        'input moved',
        'input moved',
        'input moved',
        'session recorded',
        'effect sent',
        'run ended',
        'run ended',
        'input ended',
        'completion stored',
      ].toSorted(),
    );
    expect(life.flatMap(({ to, status }) => (status === undefined ? [] : [to ?? status]))).toEqual([
      'enriching',
      'ready',
      'running',
      'succeeded',
    ]);
    const session = host.stores.automationRuns.ofInput(id)?.session?.id;
    const atSession = life.findIndex(({ msg }) => msg === 'session recorded');
    expect(session).toBeDefined();
    for (const [index, line] of life.entries()) {
      expect(line, String(line['msg'])).toMatchObject({
        level: 30,
        run_id: automationRunId(id),
        trigger_event_id: id,
        session_id: index < atSession ? null : session,
        organization_id: host.folder.space.id,
        correlation_id: 'from-shop',
      });
    }
  });

  it('[LG-1] a run that serves several inputs names the automation run of each', async () => {
    const under = await logged();
    const { host, lines } = under;
    const { workflowId } = await withWriter(under);
    await succeed(host.dispatch, 'workflows.pause', { workflowId });
    const start = async (name: string): Promise<string> => {
      const request = { requestId: name, workflowId, topic: 'in', payload: { name } };
      return (await succeed(host.dispatch, 'inputs.start', request)).input.id;
    };
    const ids = [await start('a.txt'), await start('b.txt')];
    await eventually(async () => {
      const { inputs } = await succeed(host.dispatch, 'inputs.list', { status: 'running' });
      expect(inputs).toHaveLength(2);
    });
    await succeed(host.dispatch, 'workflows.resume', { workflowId });
    for (const id of ids) await ended(host, id);
    for (const id of ids) {
      const messages = about(lines(), automationRunId(id)).map(({ msg }) => msg);
      expect(messages).toEqual(expect.arrayContaining(['effect sent', 'run ended', 'input ended']));
    }
    const effect = lines().find(({ msg }) => msg === 'effect sent');
    const { run_id: first, other_run_ids: others } = effect as {
      run_id: string;
      other_run_ids: string[];
    };
    expect([first, ...others].toSorted()).toEqual(ids.map(automationRunId).toSorted());
  });

  it('[LG-1] [MX-3] a stage that fails is in the log with its error and the four ids, and counted', async () => {
    const under = await logged();
    const { host, lines } = under;
    const { workflowId } = await withWriter(under);
    // The first write of an artifact fails, as on a damaged disk.
    const { artifacts } = host.inputs;
    const put = artifacts.put.bind(artifacts);
    artifacts.put = async () => {
      artifacts.put = put;
      throw new Error('EIO: i/o error, write');
    };
    const request = { requestId: 'r', workflowId, topic: 'in', payload: { name: 'a.txt' } };
    const { input } = await succeed(host.dispatch, 'inputs.start', request);
    const failed = await eventually(() => {
      const found = lines().filter(({ msg }) => msg === 'stage failed and will be retried');
      expect(found).toHaveLength(1);
      return found;
    });
    expect(failed).toMatchObject([
      {
        level: 40,
        kind: 'enqueue_enrich',
        attempts: 1,
        run_id: automationRunId(input.id),
        trigger_event_id: input.id,
        session_id: null,
        organization_id: host.folder.space.id,
        correlation_id: input.id,
        err: { message: 'EIO: i/o error, write' },
      },
    ]);
    expect(host.observation.metrics.text()).toContain(
      'holdfast_stage_errors_total{stage="enrich"} 1',
    );
    for (const line of about(lines(), input.id)) {
      for (const name of ['run_id', 'trigger_event_id', 'session_id', 'organization_id']) {
        expect(line, String(line['msg'])).toHaveProperty(name);
      }
    }
  });

  it('[LG-1] a stop that was requested and the end that followed are in the log', async () => {
    const under = await logged();
    const { workflowId } = await withWriter(under);
    await succeed(under.host.dispatch, 'workflows.pause', { workflowId });
    const request = { requestId: 'r', workflowId, topic: 'in', payload: { name: 'a.txt' } };
    const { input } = await succeed(under.host.dispatch, 'inputs.start', request);
    await succeed(under.host.dispatch, 'inputs.skip', { inputId: input.id, reason: 'not ours' });
    const ids = { run_id: automationRunId(input.id), trigger_event_id: input.id };
    await eventually(async () => {
      expect(under.lines().filter(({ actor }) => actor === 'person')).toMatchObject([
        { ...ids, msg: 'stop requested', as: 'skipped', reason: 'not ours' },
        { ...ids, msg: 'input ended', status: 'skipped', ms: expect.any(Number) as number },
      ]);
    });
  });

  it('[LG-4] has no line of a change that was rolled back', async () => {
    const under = await logged();
    const { workflowId } = await withWriter(under);
    const { db } = under.host.folder;
    const { inputs } = under.host.engine.context;
    const register = (dedupKey: string): void => {
      inputs.register(
        {
          workflowId,
          kind: 'manual',
          triggerId: 'manual',
          dedupKey,
          source: dedupKey,
          type: 't',
          externalId: dedupKey,
          title: dedupKey,
          topic: 'in',
          redactPaths: [],
          bytes: 1,
          sha256: 'h',
        },
        { name: `${dedupKey}.txt` },
      );
    };
    const failing = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        expect(error).toMatchObject({ message: 'no' });
      }
    };
    const work = (): void => register('whole');
    failing(() =>
      db.write(() => {
        work();
        throw new Error('no');
      }),
    );
    // As the commit queue does: the same work again, now alone.
    db.write(work);
    db.write(() => {
      failing(() =>
        db.write(() => {
          register('part');
          throw new Error('no');
        }),
      );
      register('committed');
    });
    const received = under.lines().filter(({ msg }) => msg === 'input received');
    expect(received.map(({ source }) => source)).toEqual(['whole', 'committed']);
  });
});

describe('the log level', () => {
  it('[LG-2] is a setting that takes effect at once and stays after a restart', async () => {
    const under = await logged();
    const { host, dir } = under;
    host.folder.lock.announce({ pid: process.pid, startedAt: host.startedAt, url: under.url });
    const file = join(dir, 'logs', 'host.log');
    expect(await succeed(host.dispatch, 'log.get', {})).toEqual({
      level: 'info',
      isFromEnvironment: false,
      file,
    });
    host.log.debug('too much');
    expect(await succeeds('log', 'debug', '--data', dir)).toBe(`The level of ${file} is debug.\n`);
    host.log.debug('wanted');
    expect((await succeed(host.dispatch, 'log.choose', { level: 'error' })).level).toBe('error');
    host.log.warn('not urgent');
    expect(under.lines().map(({ msg }) => msg)).toEqual(['wanted']);
    expect(await host.dispatch('log.choose', { level: 'loud' })).toMatchObject({
      ok: false,
      error: { type: 'invalid_input' },
    });
    expect((await succeed(host.dispatch, 'log.get', {})).level).toBe('error');
    await host.close();
    const again = createHost({
      dataDir: dir,
      createLog: (masker) => createLog(dir, masker),
      links: LOOPBACK,
      runsWorkflows: false,
    });
    onTestFinished(() => again.close());
    expect(again.log.level).toBe('error');
  });

  it('[LG-2] of HOLDFAST_LOG_LEVEL counts more than the setting, and an unknown one starts nothing', async () => {
    const dir = tempFolder();
    await succeeds('log', 'error', '--data', dir);
    process.env['HOLDFAST_LOG_LEVEL'] = 'debug';
    onTestFinished(() => void delete process.env['HOLDFAST_LOG_LEVEL']);
    const said = await succeeds('log', '--data', dir);
    expect(said).toContain('is debug. That is from HOLDFAST_LOG_LEVEL');
    process.env['HOLDFAST_LOG_LEVEL'] = 'loud';
    expect(await refused('log', '--data', dir)).toContain(
      'HOLDFAST_LOG_LEVEL is "loud", but must be one of error, warn, info, debug. Nothing was started.',
    );
    process.env['HOLDFAST_LOG_LEVEL'] = '';
    expect(await succeeds('log', '--data', dir)).toContain('is error.');
  });
});

it('[LG-3] a secret in a log line is replaced by its name, in any field', async () => {
  const dataDir = tempFolder();
  const masker = createMasker();
  masker.learn('token', 'tr0ub4dor"3');
  const log = createLog(dataDir, masker);
  log.error(
    { err: new Error('401 for tr0ub4dor"3'), url: 'https://x/?t=tr0ub4dor%223' },
    'tr0ub4dor"3',
  );
  const text = readFileSync(join(dataDir, 'logs', 'host.log'), 'utf8');
  expect(text).not.toContain('tr0ub4dor');
  expect(JSON.parse(text)).toMatchObject({
    msg: '•••(token)',
    url: 'https://x/?t=•••(token)',
    err: { message: '401 for •••(token)' },
  });
});

it('[LG-3] a running host masks the secrets that it learns, and logs no raw payload', async () => {
  const under = await logged();
  const { workflowId } = await withWriter(under);
  await succeed(under.host.dispatch, 'secrets.set', { name: 'shop', value: 'hunter2-hunter2' });
  under.host.log.warn({ why: 'hunter2-hunter2' }, 'a warning');
  const request = {
    requestId: 'r',
    workflowId,
    topic: 'in',
    payload: { name: 'a.txt', token: 'raw-secret-value', other: 'hunter2-hunter2' },
  };
  const { input } = await succeed(under.host.dispatch, 'inputs.start', request);
  await ended(under.host, input.id);
  expect(await fail(under.host.dispatch, 'inputs.get', { inputId: 'raw' })).toBeDefined();
  const text = JSON.stringify(under.lines());
  expect(text).toContain('•••(shop)');
  expect(text).not.toMatch(/hunter2|raw-secret-value/);
});
