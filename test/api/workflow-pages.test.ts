// A workflow's page through the API: graph, events, runs of a handler, versions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { scriptId, sha256Hex } from '#shared/ids.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const asking = (more = ''): string => `import { workflow } from 'holdfast';
export default workflow({
  name: 'asking', uses: { ask: {} }, topics: ['in', 'again', 'odd'],
  producers: { tick: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {
    ask: { subscribes: ['in', 'again'], publishes: ['again'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in');
        return event ? { reservations: [event], ui: { title: event.title } } : {};
      },
      async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); } },
    choke: { subscribes: 'odd', async prepare() { throw new Error('no'); } },
  },
});
${more}`;

async function add(host: Host): Promise<{ workflowId: string; path: string }> {
  const path = join(tempFolder(), 'asking.ts');
  writeFileSync(path, asking());
  const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
  return { workflowId, path };
}

const publish = (host: Host, workflowId: string, topic: string, messageId: string) =>
  succeed(host.dispatch, 'events.publish', {
    workflowId,
    topic,
    messageId,
    title: messageId,
    payload: { messageId },
  });

describe('the graph', () => {
  it('[WF-2] has every topic and handler with current counts, and the cycles', async () => {
    const host = createTestHost();
    const { workflowId } = await add(host);
    await publish(host, workflowId, 'in', 'one');
    await eventually(async () => {
      const graph = await succeed(host.dispatch, 'workflows.graph', { workflowId });
      expect(graph.handlers).toContainEqual({
        name: 'ask',
        kind: 'consumer',
        subscribes: ['in', 'again'],
        publishes: ['again'],
        atWork: 0,
        waiting: 1,
      });
    });
    // The consumer waits for an answer, so later events stay pending.
    await publish(host, workflowId, 'in', 'two');
    await publish(host, workflowId, 'in', 'three');
    const graph = await succeed(host.dispatch, 'workflows.graph', { workflowId });
    expect(graph.topics).toEqual([
      { name: 'in', pending: 2, reserved: 1, setAside: 0 },
      { name: 'again', pending: 0, reserved: 0, setAside: 0 },
      { name: 'odd', pending: 0, reserved: 0, setAside: 0 },
    ]);
    expect(graph.handlers[0]).toMatchObject({ name: 'tick', kind: 'producer', publishes: ['in'] });
    expect(graph.cycles).toEqual([['again']]);
  });

  it('[WF-2] counts an event that was set aside in its topic only', async () => {
    const host = createTestHost();
    const { workflowId } = await add(host);
    const { stores } = host;
    const topic = stores.topics.ensure(workflowId, 'odd');
    const published = stores.events.publish({ topic, messageId: 'x', title: 'x', payload: null });
    if (published.type === 'payload_too_large') throw new Error(published.message);
    stores.events.move(published.eventId, { type: 'skip', reason: 'set_aside' });
    const graph = await succeed(host.dispatch, 'workflows.graph', { workflowId });
    expect(graph.topics.map(({ name, setAside }) => [name, setAside])).toEqual([
      ['in', 0],
      ['again', 0],
      ['odd', 1],
    ]);
  });

  it('[WF-2] events of a topic come in pages, and runs are those of one handler', async () => {
    const host = createTestHost();
    const { workflowId } = await add(host);
    await succeed(host.dispatch, 'workflows.pause', { workflowId });
    for (const id of ['a', 'b', 'c']) await publish(host, workflowId, 'in', id);
    await publish(host, workflowId, 'again', 'other');
    const page = { workflowId, topic: 'in', limit: 2 };
    const first = await succeed(host.dispatch, 'events.list', page);
    const second = await succeed(host.dispatch, 'events.list', {
      ...page,
      after: first.next ?? '',
    });
    const ids = [...first.events, ...second.events].map(({ messageId }) => messageId);
    expect(ids.toSorted()).toEqual(['a', 'b', 'c']);
    expect(first.events).toHaveLength(2);
    expect(second.next).toBeNull();
    await succeed(host.dispatch, 'workflows.resume', { workflowId });
    const runs = await eventually(async () => {
      const listed = await succeed(host.dispatch, 'workflows.handlerRuns', {
        workflowId,
        handlerName: 'ask',
      });
      expect(listed.runs[0]?.phase).toBe('suspended');
      return listed.runs;
    });
    expect(runs.every(({ handlerName }) => handlerName === 'ask')).toBe(true);
    const none = { workflowId, handlerName: 'choke' };
    expect((await succeed(host.dispatch, 'workflows.handlerRuns', none)).runs).toEqual([]);
    const { recent } = await succeed(host.dispatch, 'workflows.get', { workflowId });
    expect(recent[0]).toMatchObject({ handlerName: 'ask', phase: 'suspended' });
  });

  it('[WF-2] gives not_found for an unknown workflow or version', async () => {
    const host = createTestHost();
    for (const [name, more] of [
      ['workflows.graph', {}],
      ['events.list', { topic: 'in' }],
      ['workflows.handlerRuns', { handlerName: 'x' }],
      ['workflows.versions', {}],
      ['workflows.file', {}],
    ] as const) {
      const refused = await fail(host.dispatch, name, { workflowId: 'none', ...more });
      expect(refused.type, name).toBe('not_found');
    }
    expect((await fail(host.dispatch, 'workflows.version', { scriptId: 'x' })).type).toBe(
      'not_found',
    );
  });
});

describe('versions', () => {
  it('[WF-3] [SR-11] have their device and file, which one is active or a draft, when it was checked, and their activations', async () => {
    const host = createTestHost();
    const { workflowId, path } = await add(host);
    const { deviceId } = host.folder.identity;
    const { sha } = await succeed(host.dispatch, 'workflows.file', { workflowId });
    const source = asking('// second');
    const save = { workflowId, source, basedOn: sha };
    await succeed(host.dispatch, 'workflows.saveFile', save);
    const list = async () =>
      (await succeed(host.dispatch, 'workflows.versions', { workflowId })).versions;
    expect(await list()).toMatchObject([
      { isActive: false, isDraft: true, activations: [], deviceId, fileName: 'asking.ts' },
      { isActive: true, isDraft: false, activations: [], deviceId },
    ]);
    const [draft, active] = await list();
    // The first version was checked when it was added, the draft when it was saved.
    expect(active?.checkedAt).toBeGreaterThanOrEqual(active?.createdAt ?? 0);
    expect(draft?.checkedAt).toBeGreaterThanOrEqual(draft?.createdAt ?? 0);
    expect(draft?.checkedAt).toBeGreaterThan(active?.checkedAt ?? 0);
    await succeed(host.dispatch, 'workflows.activate', { workflowId });
    const [newest, oldest] = await list();
    expect(newest?.checkedAt).toBe(newest?.createdAt);
    expect(oldest?.checkedAt).toBeNull();
    expect(newest).toMatchObject({ isActive: true, isDraft: false, activations: [{ deviceId }] });
    expect(oldest).toMatchObject({ isActive: false, activations: [] });
    const id = scriptId(workflowId, sha256Hex(source));
    const read = await succeed(host.dispatch, 'workflows.version', { scriptId: id });
    expect(read).toMatchObject({ id: newest?.id, workflowId, source });
    expect(path).toMatch(/asking\.ts$/);
  });

  it('[WF-3] record the device that activated them', async () => {
    const [owner, other] = [createTestHost(), createTestHost()];
    const { workflowId } = await add(owner);
    const { sha } = await succeed(owner.dispatch, 'workflows.file', { workflowId });
    const save = { workflowId, source: asking('// second'), basedOn: sha };
    await succeed(owner.dispatch, 'workflows.saveFile', save);
    exchange(owner.folder.db, other.folder.db);
    const waiting = await succeed(other.dispatch, 'workflows.activate', { workflowId });
    expect(waiting.waiting).toBe(true);
    exchange(other.folder.db, owner.folder.db);
    const { versions } = await succeed(owner.dispatch, 'workflows.versions', { workflowId });
    expect(versions[0]).toMatchObject({
      isActive: true,
      deviceId: owner.folder.identity.deviceId,
      activations: [{ deviceId: other.folder.identity.deviceId }],
    });
  });
});

describe('what a version leaves behind', () => {
  it('[EN-33] is in the view, the graph, the events and the inbox, until it is skipped', async () => {
    const host = createTestHost();
    const path = join(tempFolder(), 'left.ts');
    const source = (topics: string): string => `
      import { workflow } from 'holdfast';
      export default workflow({ name: 'left', topics: [${topics}],
        consumers: { take: { subscribes: 'in', prepare() {} } } });`;
    writeFileSync(path, source(`'in', 'parcels'`));
    const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
    await succeed(host.dispatch, 'events.publish', {
      workflowId,
      topic: 'parcels',
      messageId: 'p1',
      title: 'Parcel',
      payload: 1,
    });
    writeFileSync(path, source(`'in'`));
    await succeed(host.dispatch, 'workflows.add', { path });
    const refused = await host.dispatch('workflows.activate', { workflowId });
    expect(refused).toMatchObject({ ok: false, error: { reason: 'leaves_behind' } });
    await succeed(host.dispatch, 'workflows.activate', { workflowId, leaveBehind: true });
    const left = { type: 'events', topic: 'parcels', count: 1 };
    const seen = async () => ({
      view: (await succeed(host.dispatch, 'workflows.get', { workflowId })).leftBehind,
      graph: (await succeed(host.dispatch, 'workflows.graph', { workflowId })).topics.map(
        ({ name }) => name,
      ),
      inbox: (await succeed(host.dispatch, 'inbox.list', {})).items,
    });
    expect(await seen()).toMatchObject({
      view: [left],
      graph: ['in', 'parcels'],
      inbox: [{ type: 'left_behind', left }],
    });
    const listed = { workflowId, topic: 'parcels' };
    expect((await succeed(host.dispatch, 'events.list', listed)).events.length).toBe(1);
    await succeed(host.dispatch, 'workflows.skipLeftBehind', { workflowId, topic: 'parcels' });
    expect(await seen()).toEqual({ view: [], graph: ['in'], inbox: [] });
  });
});
