// `holdfast validate` and `holdfast try`
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import { copyExample, holdfast, holdfastWith, postingWorkflow } from '#test/cli/holdfast.ts';
import { oldFile } from '#test/examples/start-example.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

async function practiceService(): Promise<Practice> {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  return practice;
}

function written(source: string): string {
  const path = join(tempFolder(), 'file.ts');
  writeFileSync(path, source);
  return path;
}

test('[EN-16] try runs producers and consumers, prints effects and events, and sends nothing', async () => {
  const practice = await practiceService();
  const file = copyExample('practice.ts', tempFolder(), {
    '127.0.0.1:8808': new URL(practice.url).host,
  });
  const ended = await holdfast('try', file, '--data', tempFolder());
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain(`  not sent   POST ${practice.url}/effects/order\n`);
  expect(ended.stdout).toContain('http.post {"url":');
  expect(ended.stdout).toMatch(/^ {2}published {2}order\.wanted: Three ropes {2}\{"what":"rope"/m);
  expect(ended.stdout).toMatch(/^ {2}log +The order was settled as applied\.$/m);
  expect(ended.stdout).toMatch(/practice: 3 runs, 1 effect recorded, not sent\.\n$/);
  expect(practice.effects()).toEqual([]);
});

test('[EN-16] try with events runs no producers, reads real files and changes none', async () => {
  const downloads = tempFolder();
  oldFile(downloads, 'a.pdf', 'A', 40);
  const file = copyExample('tidy-downloads.ts', tempFolder(), { '~/Downloads': downloads });
  const events = ['--event', 'file.old={"name":"a.pdf","month":"2020-01"}'];
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('holdfast-try-'));
  const ended = await holdfast('try', file, ...events, '--json', '--data', tempFolder());
  expect(ended.code).toBe(0);
  const tried = JSON.parse(ended.stdout) as {
    ok: boolean;
    runs: { handlerName: string; mutation: { tool: string; method: string; params: unknown } }[];
  };
  expect(tried.ok).toBe(true);
  expect(tried.runs.map(({ handlerName, mutation }) => [handlerName, mutation])).toMatchObject([
    ['makeFolder', { method: 'mkdir', params: { path: `${downloads}/2020-01` } }],
    ['move', { method: 'move', params: { from: `${downloads}/a.pdf` } }],
  ]);
  expect(readdirSync(downloads)).toEqual(['a.pdf']);
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith('holdfast-try-'));
  expect(after.length).toBeLessThanOrEqual(before.length);
});

test('[EN-16] try exits with 1 if a run throws, has invalid params or lacks a grant', async () => {
  const practice = await practiceService();
  const { host } = new URL(practice.url);
  const post = `await ctx.tools.http.post(`;
  const broken: [string, RegExp][] = [
    [postingWorkflow(host, `throw new Error('not like this');`), /failed +.*not like this/],
    [
      postingWorkflow(host, `${post}{ address: 1 });`),
      /failed +The params of http\.post are invalid/,
    ],
    [
      postingWorkflow(host, `${post}{ url: 'http://127.0.0.1:1/' });`),
      /suspended +.*127\.0\.0\.1:1/,
    ],
  ];
  await Promise.all(
    broken.map(async ([source, message]) => {
      const ended = await holdfast('try', written(source), '--event', 'in={"n":1}');
      expect(ended.stdout).toMatch(message);
      expect(ended.stdout).toMatch(/1 did not commit\.\n$/);
      expect(ended.code).toBe(1);
    }),
  );
  expect(practice.effects()).toEqual([]);
});

test('[EN-16] reads of a dry run use the secrets of the data folder, and fail without them', async () => {
  const practice = await practiceService();
  const dataDir = tempFolder();
  await holdfastWith('t0p', 'secret', 'set', 'key', '--data', dataDir);
  const source = `import { workflow } from 'holdfast';
export default workflow({
  name: 'reader',
  uses: { http: { hosts: ['${new URL(practice.url).host}'] } },
  topics: [],
  producers: { look: { schedule: { every: '1h' }, async run(ctx) {
    const { json } = await ctx.tools.http.get({ url: '${practice.url}/effects', auth: { bearerSecret: 'key' } });
    console.log('effects', json.count);
  } } },
});`;
  const file = written(source);
  const [known, unknown] = await Promise.all([
    holdfast('try', file, '--data', dataDir),
    holdfast('try', file, '--data', tempFolder()),
  ]);
  expect(known.stdout).toMatch(/^ {2}log +effects 0$/m);
  expect(known.code).toBe(0);
  expect(unknown.stdout).toContain('holdfast secret set key');
  expect(unknown.code).toBe(1);
});

test('[AU-9] validate reports an unknown tool like the host does when the file is added, and takes --data', async () => {
  const dataDir = tempFolder();
  const odd = written(
    postingWorkflow('x.example.org').replace('uses: {', 'uses: { telepathy: {},'),
  );
  const [checked, added] = await Promise.all([
    holdfast('validate', odd, '--data', dataDir),
    holdfast('add', odd, '--data', tempFolder()),
  ]);
  const problem = /file\.ts:\d+:\d+: In "uses", there is no tool "telepathy"\./;
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(problem);
  expect(added.stderr).toMatch(problem);
  expect(readdirSync(dataDir)).toEqual([]);
});

test('[AU-2] validate prints problems as file:line:column and exits with 1; a valid file exits with 0', async () => {
  const syntax = written('export default {\n  name: ;\n};\n');
  const graph = written(
    postingWorkflow('x.example.org').replace("subscribes: 'in'", "subscribes: 'out'"),
  );
  const good = written(postingWorkflow('x.example.org'));
  const ends = await Promise.all(
    [syntax, graph, good, join(tempFolder(), 'none.ts')].map((file) => holdfast('validate', file)),
  );
  expect(ends.map(({ code }) => code)).toEqual([1, 1, 0, 1]);
  expect(ends[0]?.stdout).toMatch(/file\.ts:2:9: .+\n$/);
  expect(ends[1]?.stdout).toMatch(
    /file\.ts:19:19: There is no topic "out"\. Add it to "topics"\.\n$/,
  );
  expect(ends[2]?.stdout).toMatch(/file\.ts is valid\.\n$/);
  expect(ends[3]?.stdout).toMatch(/none\.ts:1:1: Could not read /);
});
