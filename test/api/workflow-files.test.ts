// Workflow files and dry runs through the API, on real hosts and files.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { startPractice } from '#main/practice/practice.ts';
import { sha256Hex } from '#shared/ids.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const quiet = (name = 'quiet', more = ''): string => `import { workflow } from 'holdfast';
export default workflow({
  name: '${name}', topics: ['in'],
  producers: { tick: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
});
${more}`;

async function add(host: Host, source = quiet()): Promise<{ workflowId: string; path: string }> {
  const path = join(tempFolder(), 'quiet.ts');
  writeFileSync(path, source);
  const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
  return { workflowId, path };
}

describe('saving', () => {
  it('[WF-5] writes the known file, preserves its permissions, and creates a draft', async () => {
    const host = createTestHost();
    const { workflowId, path } = await add(host);
    chmodSync(path, 0o640);
    const file = await succeed(host.dispatch, 'workflows.file', { workflowId });
    expect(file).toMatchObject({ path, fileName: 'quiet.ts', source: quiet(), problem: null });
    const source = quiet('quiet', '// changed');
    const saved = await succeed(host.dispatch, 'workflows.saveFile', {
      workflowId,
      source,
      basedOn: file.sha,
    });
    expect(saved).toMatchObject({ workflowId, path, sha: sha256Hex(source) });
    expect(readFileSync(path, 'utf8')).toBe(source);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(path))).toEqual(['quiet.ts']);
    const { draftScriptId, scriptId } = await succeed(host.dispatch, 'workflows.get', {
      workflowId,
    });
    expect(draftScriptId).not.toBeNull();
    expect(draftScriptId).not.toBe(scriptId);
  });

  it('[WF-5] does not write an invalid workflow, and reports problems with their position', async () => {
    const host = createTestHost();
    const { workflowId, path } = await add(host);
    const { sha } = await succeed(host.dispatch, 'workflows.file', { workflowId });
    const source = quiet().replace("publishes: ['in']", "publishes: ['out']");
    const refused = await fail(host.dispatch, 'workflows.saveFile', {
      workflowId,
      source,
      basedOn: sha,
    });
    expect(refused).toMatchObject({ type: 'invalid_input', reason: 'not_a_workflow' });
    expect(refused.problems).toEqual([
      expect.stringMatching(/^quiet\.ts:4:\d+: There is no topic "out"/) as string,
    ]);
    expect(readFileSync(path, 'utf8')).toBe(quiet());
    expect(readdirSync(dirname(path))).toEqual(['quiet.ts']);
  });

  it('[WF-6] does not overwrite a file that another program changed or removed', async () => {
    const host = createTestHost();
    const { workflowId, path } = await add(host);
    const { sha } = await succeed(host.dispatch, 'workflows.file', { workflowId });
    const save = { workflowId, source: quiet('quiet', '// mine'), basedOn: sha };
    const theirs = quiet('quiet', '// theirs');
    writeFileSync(path, theirs);
    const changed = await fail(host.dispatch, 'workflows.saveFile', save);
    expect(changed).toMatchObject({ type: 'conflict', reason: 'file_changed' });
    expect(readFileSync(path, 'utf8')).toBe(theirs);
    rmSync(path);
    expect(await fail(host.dispatch, 'workflows.saveFile', save)).toMatchObject({
      reason: 'file_changed',
    });
    expect(existsSync(path)).toBe(false);
    const gone = await succeed(host.dispatch, 'workflows.file', { workflowId });
    expect(gone).toMatchObject({ path, source: null, sha: null, problem: null });
    await succeed(host.dispatch, 'workflows.saveFile', { ...save, basedOn: null });
    expect(readFileSync(path, 'utf8')).toBe(save.source);
  });

  it('[WF-7] the change feed reports a changed file that is not valid', async () => {
    const host = createTestHost();
    const { workflowId, path } = await add(host);
    let messages = 0;
    host.feed.subscribe((message) => {
      if (message.type !== 'changes') return;
      const named = message.changes.find(({ table }) => table === 'workflows')?.ids;
      if (named !== undefined && named !== 'many' && named.includes(workflowId)) messages += 1;
    });
    await host.engine.idle();
    const before = messages;
    writeFileSync(path, 'export default workflow({');
    await eventually(() => expect(messages).toBeGreaterThan(before));
    await eventually(async () => {
      const file = await succeed(host.dispatch, 'workflows.file', { workflowId });
      expect(file.source).toBe('export default workflow({');
      expect(file.draftProblems[0]).toMatch(/^quiet\.ts:\d+:\d+: /);
    });
  });

  it('[WF-5] is refused for a workflow whose file is on another device', async () => {
    const [owner, other] = [createTestHost(), createTestHost()];
    const { workflowId } = await add(owner);
    exchange(owner.folder.db, other.folder.db);
    const file = await succeed(other.dispatch, 'workflows.file', { workflowId });
    expect(file).toMatchObject({ path: null, fileName: 'quiet.ts', source: null });
    const refused = await fail(other.dispatch, 'workflows.saveFile', {
      workflowId,
      source: quiet(),
      basedOn: null,
    });
    expect(refused).toMatchObject({ type: 'conflict', reason: 'file_elsewhere' });
  });
});

describe('a new file', () => {
  it('[WF-5] is created in the workflows folder and added; it never replaces a file', async () => {
    const host = createTestHost();
    const created = await succeed(host.dispatch, 'workflows.newFile', {
      fileName: 'new.ts',
      source: quiet('new'),
    });
    expect(created.path).toBe(join(host.folder.dir, 'workflows', 'new.ts'));
    expect(readFileSync(created.path, 'utf8')).toBe(quiet('new'));
    const { workflowId } = created;
    expect(await succeed(host.dispatch, 'workflows.get', { workflowId })).toMatchObject({
      name: 'new',
      path: created.path,
    });
    const again = await fail(host.dispatch, 'workflows.newFile', {
      fileName: 'new.ts',
      source: quiet('other'),
    });
    expect(again).toMatchObject({ type: 'conflict', reason: 'name_taken' });
    expect(readFileSync(created.path, 'utf8')).toBe(quiet('new'));
    expect(readdirSync(join(host.folder.dir, 'workflows'))).toEqual(['new.ts']);
  });

  it('[WF-5] is not created with an unsafe name or an invalid workflow', async () => {
    const host = createTestHost();
    for (const fileName of [
      '../escape.ts',
      'a/b.ts',
      'a\\b.ts',
      '.hidden.ts',
      'no-extension',
      'x.json',
      '-rf.ts',
      '/etc/x.ts',
      'x\0.ts',
    ]) {
      const refused = await fail(host.dispatch, 'workflows.newFile', {
        fileName,
        source: quiet(),
      });
      expect(refused.type, fileName).toBe('invalid_input');
    }
    const bad = { fileName: 'bad.ts', source: 'export default 1;' };
    expect((await fail(host.dispatch, 'workflows.newFile', bad)).reason).toBe('not_a_workflow');
    expect(existsSync(join(host.folder.dir, 'workflows'))).toBe(false);
  });

  it('[WF-5] does not follow a symbolic link out of the folder', async () => {
    const host = createTestHost();
    const outside = join(tempFolder(), 'outside.ts');
    mkdirSync(join(host.folder.dir, 'workflows'));
    symlinkSync(outside, join(host.folder.dir, 'workflows', 'link.ts'));
    const refused = await fail(host.dispatch, 'workflows.newFile', {
      fileName: 'link.ts',
      source: quiet(),
    });
    expect(refused.reason).toBe('name_taken');
    expect(existsSync(outside)).toBe(false);
  });
});

describe('a dry run', () => {
  const posting = (url: string, next = ''): string => `import { workflow } from 'holdfast';
export default workflow({
  name: 'poster', uses: { http: { hosts: ['${new URL(url).host}'] } }, topics: ['in', 'out'],
  producers: { tick: { schedule: { every: '1h' }, publishes: ['in'],
    async run(ctx) { await ctx.publish('in', { id: 'a', title: 'A', payload: { n: 1 } }); } } },
  consumers: { post: { subscribes: 'in', publishes: ['out'],
    async prepare(ctx) {
      const [event] = await ctx.peek('in');
      console.log('looked', event?.payload);
      return event ? { reservations: [event], data: event.payload } : {};
    },
    async mutate(ctx, prepared) {
      await ctx.tools.http.post({ url: '${url}/effects/x', json: prepared.data });
    },
    async next(ctx, prepared) {
      ${next}
      await ctx.publish('out', { id: 'b', title: 'B', payload: prepared.data });
    } } },
});`;

  it('[WF-4] of unsaved source sends nothing and leaves no workflow, run or temporary folder', async () => {
    const practice = await startPractice({ port: 0 });
    const host = createTestHost();
    const left = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('holdfast-try-'));
    const before = left();
    const result = await succeed(host.dispatch, 'workflows.try', {
      source: posting(practice.url),
      fileName: 'x.ts',
      events: [{ topic: 'in', payload: { n: 7 } }],
    });
    expect(result).toMatchObject({ name: 'poster', isCut: false });
    const post = result.runs.find(({ mutation }) => mutation !== null);
    expect(post).toMatchObject({
      handlerName: 'post',
      phase: 'committed',
      mutation: { tool: 'http', method: 'post', params: { json: { n: 7 } } },
      eventsOut: [{ topic: 'out', payload: { n: 7 } }],
    });
    expect(post?.logs.map(({ text }) => text)).toEqual([expect.stringContaining('looked')]);
    expect(result.pending).toEqual([{ name: 'out', pending: 1 }]);
    expect(result.runs.some(({ handlerName }) => handlerName === 'tick')).toBe(false);
    expect(practice.effects()).toEqual([]);
    expect((await succeed(host.dispatch, 'workflows.list', {})).workflows).toEqual([]);
    expect((await succeed(host.dispatch, 'handlerRuns.list', {})).runs).toEqual([]);
    expect(left().length).toBeLessThanOrEqual(before.length);
    await practice.close();
  });

  it('[WF-4] without events runs the producers; an error has its line and column', async () => {
    const host = createTestHost();
    const source = posting('http://127.0.0.1:9', `throw new Error('not like this');`);
    const result = await succeed(host.dispatch, 'workflows.try', { source, fileName: 'x.ts' });
    const failed = result.runs.find(({ phase }) => phase !== 'committed');
    const line = source.split('\n').findIndex((text) => text.includes('not like this')) + 1;
    expect(result.runs[0]).toMatchObject({ handlerName: 'tick', phase: 'committed' });
    expect(failed?.error).toMatch(new RegExp(`not like this[\\s\\S]*x\\.ts:${line}:\\d+`));
  });

  it('[WF-4] of an invalid workflow, or with an unknown topic, is refused with the reason', async () => {
    const host = createTestHost();
    const broken = { source: 'export default {\n  name: ;\n};', fileName: 'x.ts' };
    const refused = await fail(host.dispatch, 'workflows.try', broken);
    expect(refused.problems).toEqual([expect.stringMatching(/^x\.ts:2:9: /) as string]);
    const noTopic = {
      source: quiet(),
      fileName: 'x.ts',
      events: [{ topic: 'nowhere', payload: null }],
    };
    expect(await fail(host.dispatch, 'workflows.try', noTopic)).toMatchObject({
      type: 'not_found',
      message: expect.stringContaining('"nowhere"') as string,
    });
  });
});
