// Inputs from webhooks, people and producers to the end of their runs, on a real host.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUN_DEADLINE_MS } from '#shared/limits.ts';
import { succeed, fail } from '#test/support/api-calls.ts';
import { eventually } from '#test/support/eventually.ts';
import { readOpenFile } from '#test/support/read-open-file.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { addWorkflow, ECHO, ended, makeHook, post } from '#test/support/webhooks.ts';

const FINDER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Finder',
  topics: ['found', 'raw'],
  producers: {
    look: {
      schedule: { every: '1h' },
      publishes: ['found', 'raw'],
      async run(ctx, state) {
        const a = await ctx.registerInput({ source: 'box', type: 'mail', id: 'a', title: 'Mail a' });
        const again = await ctx.registerInput({ source: 'box', type: 'mail', id: 'a', title: 'Other' });
        if (again.id !== a.id || again.isNew) throw new Error('not one input');
        await ctx.publish('found', { id: 'a1', title: 'A1', input: a.id });
        await ctx.publish('found', { id: 'a2', title: 'A2', input: a.id });
        await ctx.publish('found', { id: 'tick' + (state?.n ?? 0), title: 'Of the slot itself' });
        await ctx.registerInput({
          source: 'box', type: 'mail', id: 'b', title: 'Mail b',
          topic: 'raw', payload: { token: 'sesame-open', n: 1 },
        });
        return { n: (state?.n ?? 0) + 1, isNew: a.isNew };
      },
    },
  },
  consumers: {
    take: {
      subscribes: ['found', 'raw'],
      async prepare(ctx) {
        const [event] = [...(await ctx.peek('found')), ...(await ctx.peek('raw'))];
        return event ? { reservations: [event] } : {};
      },
    },
  },
});
`;

const RECORDER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Recorder',
  topics: ['in', 'done'],
  consumers: {
    record: {
      subscribes: 'in',
      publishes: ['done'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event] } : {};
      },
      async next(ctx) {
        await ctx.publish('done', { id: 'd', title: 'Done' });
      },
    },
  },
});
`;

const artifactPath = (dataDir: string, ref: string): string =>
  join(dataDir, 'artifacts', ref.slice(0, 2), ref.slice(2));

describe('input pipeline', () => {
  it('[IG-1] a webhook runs through all stages to succeeded, with redacted payload, the times of each stage and completion artifact', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId);
    const response = await post(url, secret, { id: 7, type: 'order', password: 'hunter2' });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    const input = await ended(served.host, id);
    expect(input.run.status).toBe('succeeded');
    expect(input.history.map(({ to }) => to)).toEqual([
      'queued',
      'enriching',
      'ready',
      'running',
      'succeeded',
    ]);
    expect(input.payload).toMatchObject({ id: 7, type: 'order' });
    expect(JSON.stringify(input)).not.toContain('hunter2');
    expect(input.redacted).toEqual([{ path: '$.password', why: 'secret-name' }]);
    expect(input.steps.map(({ type }) => type)).toEqual([
      'event',
      'handler_run',
      'event',
      'handler_run',
    ]);
    const { run } = input;
    const times = [
      input.receivedAt,
      run.queuedAt,
      run.enrichmentStartedAt,
      run.enrichmentCompletedAt,
      run.executionStartedAt,
      run.promptSentAt,
      served.host.folder.db.value<number>('SELECT session_created_at FROM automation_runs'),
      run.completedAt,
    ].map(Number);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(Date.now() - 600_000);
    expect(run.lastActivityAt).toBe(run.completedAt);
    expect(run.deadlineAt).toBe(run.queuedAt + RUN_DEADLINE_MS);
    // The idempotency keys of spec 004.
    const session = served.host.stores.scriptRuns.get(input.run.sessionId ?? '');
    expect(session?.startRequestId).toBe(`run:${input.run.id}:session`);
    const [first] = input.steps;
    expect(first?.type === 'event' && first.event.messageId).toBe(`run:${input.run.id}:prompt:v1`);
    await eventually(async () => {
      const { artifacts } = await succeed(served.host.dispatch, 'inputs.get', { inputId: id });
      expect(artifacts.completion).toMatch(/^[0-9a-f]{64}$/);
    });
  });

  it("[AR-5] a pending event in a topic without consumers doesn't keep the input open", async () => {
    const { host } = await serveInProcess();
    const workflowId = await addWorkflow(host, RECORDER);
    const request = { requestId: 'r', workflowId, topic: 'in', payload: { n: 1 } };
    const { input } = await succeed(host.dispatch, 'inputs.start', request);
    expect((await ended(host, input.id)).run.status).toBe('succeeded');
    const { topics } = await succeed(host.dispatch, 'workflows.graph', { workflowId });
    expect(topics.find(({ name }) => name === 'done')?.pending).toBe(1);
  });

  it('[IG-4] a manual start succeeds, is idempotent by request id, and refuses an unknown topic', async () => {
    const { host } = await serveInProcess();
    const workflowId = await addWorkflow(host, ECHO);
    const requestId = randomUUID();
    const payload = { say: 'hello' };
    const start = { requestId, workflowId, payload, title: 'Hello' };
    const first = await succeed(host.dispatch, 'inputs.start', start);
    expect(first).toMatchObject({ created: true, input: { kind: 'manual', title: 'Hello' } });
    const second = await succeed(host.dispatch, 'inputs.start', start);
    expect(second).toMatchObject({ created: false, input: { id: first.input.id } });
    const input = await ended(host, first.input.id);
    expect(input).toMatchObject({ run: { status: 'succeeded' }, completion: { said: 'hello' } });
    expect(await fail(host.dispatch, 'inputs.start', { ...start, topic: 'nowhere' })).toMatchObject(
      {
        type: 'invalid_input',
        message: expect.stringContaining('Choose one of: in, out'),
      },
    );
  });

  it("[IG-4] a producer's registered inputs are deduplicated, and its other events belong to its slot", async () => {
    const { host } = await serveInProcess();
    const workflowId = await addWorkflow(host, FINDER, 'finder');
    const three = await eventually(async () => {
      const { inputs } = await succeed(host.dispatch, 'inputs.list', { workflowId });
      expect(inputs.map(({ run }) => run.status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
      return inputs;
    });
    const of = (title: string) => three.find((input) => input.title === title);
    expect(of('Mail a')).toMatchObject({ kind: 'producer', source: 'box', externalId: 'a' });
    expect(three.map(({ kind }) => kind).toSorted()).toEqual(['producer', 'producer', 'schedule']);
    const a = await ended(host, of('Mail a')?.id ?? '');
    expect(a.steps.filter(({ type }) => type === 'event').map((step) => step.id)).toHaveLength(2);
    const b = await ended(host, of('Mail b')?.id ?? '');
    expect(b.payload).toEqual({ n: 1, token: expect.not.stringContaining('sesame') });
    // A manual run of the producer adds only its own input.
    await succeed(host.dispatch, 'workflows.runNow', {
      workflowId,
      producer: 'look',
      requestId: randomUUID(),
    });
    await eventually(async () => {
      const { inputs } = await succeed(host.dispatch, 'inputs.list', { workflowId });
      expect(inputs.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['manual', 'schedule', 'producer', 'producer']),
      );
      expect(inputs).toHaveLength(4);
    });
    expect(host.stores.handlerState.get(workflowId, 'look')?.state).toMatchObject({ isNew: false });
  });

  it('[IG-7] [RD-8] [RD-9] redacted values are in no response and in no database file; the artifacts have payload, source and policy', async () => {
    const served = await serveInProcess();
    const { host } = served;
    const workflowId = await addWorkflow(host, ECHO);
    const { url, secret } = await makeHook(served, workflowId, {
      redactPaths: ['customer.name'],
    });
    const body = { customer: { name: 'Ada Lovelace' }, api_key: 'k-123456789', note: 'a\r\nb' };
    const { id } = (await (await post(url, secret, body)).json()) as { id: string };
    const input = await ended(host, id);
    expect(input.payload).toMatchObject({ note: 'a\nb' });
    expect(input.redacted.map(({ path }) => path).toSorted()).toEqual([
      '$.api_key',
      '$.customer.name',
    ]);
    expect(input.sources).toMatchObject([{ source: 'orders', bytes: JSON.stringify(body).length }]);
    const contentOf = (ref: string | null | undefined): unknown =>
      JSON.parse(readFileSync(artifactPath(host.folder.dir, ref ?? ''), 'utf8'));
    const { enrichment, sources, policy } = input.artifacts;
    expect(contentOf(enrichment)).toMatchObject({
      value: { note: 'a\nb', customer: { name: expect.stringContaining('•••') } },
      redacted: [{ path: expect.any(String) }, { path: expect.any(String) }],
    });
    expect(contentOf(sources)).toEqual([
      {
        source: 'orders',
        type: 'webhook',
        id: input.externalId,
        receivedAt: input.receivedAt,
        bytes: JSON.stringify(body).length,
        sha256: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
      },
    ]);
    expect(contentOf(policy)).toMatchObject({
      redaction: { normalised: true, paths: ['customer.name'] },
    });
    expect(JSON.stringify(input)).not.toMatch(/Lovelace|k-123456789/);
    for (const end of ['', '-wal']) {
      const bytes = readOpenFile(join(host.folder.dir, `holdfast.db${end}`)).toString('latin1');
      expect(bytes.length).toBeGreaterThan(0);
      expect(bytes).not.toMatch(/Lovelace|k-123456789/);
    }
  });

  it('[IG-8] inputs are listed by source, kind, status, text and time, in pages', async () => {
    const { host } = await serveInProcess();
    const workflowId = await addWorkflow(host, ECHO);
    const ids: string[] = [];
    for (const title of ['Apple', 'Pear', 'Apple pie']) {
      const start = { requestId: randomUUID(), workflowId, payload: {}, title };
      const { input } = await succeed(host.dispatch, 'inputs.start', start);
      ids.push(input.id);
    }
    for (const id of ids) await ended(host, id);
    const titles = async (filter: object): Promise<string[]> => {
      const { inputs } = await succeed(host.dispatch, 'inputs.list', filter);
      return inputs.map(({ title }) => title);
    };
    expect(await titles({})).toHaveLength(3);
    expect((await titles({ text: 'APPLE' })).toSorted()).toEqual(['Apple', 'Apple pie']);
    expect(await titles({ text: 'apple', limit: 1 })).toHaveLength(1);
    expect(await titles({ status: 'failed' })).toEqual([]);
    expect(await titles({ status: 'succeeded', source: 'person', kind: 'manual' })).toHaveLength(3);
    expect(await titles({ source: 'nobody' })).toEqual([]);
    expect(await titles({ since: Date.now() + 60_000 })).toEqual([]);
    expect(await titles({ until: Date.now() + 60_000, workflowId })).toHaveLength(3);
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = { limit: 2, ...(after === undefined ? {} : { after }) };
      const { inputs, next } = await succeed(host.dispatch, 'inputs.list', page);
      seen.push(...inputs.map(({ id }) => id));
      if (next === null) break;
      after = next;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const pages: string[] = [];
    for (let after: string | undefined; ;) {
      const page = { limit: 1, text: 'apple', ...(after === undefined ? {} : { after }) };
      const { inputs, next } = await succeed(host.dispatch, 'inputs.list', page);
      pages.push(...inputs.map(({ title }) => title));
      if (next === null) break;
      after = next;
    }
    expect(pages.toSorted()).toEqual(['Apple', 'Apple pie']);
  });
});
