import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkWorkflow, type CheckedWorkflow } from '#main/authoring/check-workflow.ts';
import { loadWorkflowFile } from '#main/authoring/load-workflow-file.ts';
import { stripTypes, type Problem } from '#main/sandbox/strip-types.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import { handlerConfigSchema } from '#shared/authoring/handler-config.ts';
import { sha256Hex } from '#shared/ids.ts';
import { SAMPLE } from '#test/authoring/sample.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const sandbox = createSandbox({ workers: 1 });
afterAll(() => sandbox.close());

async function good(source: string): Promise<CheckedWorkflow> {
  const result = await checkWorkflow(source, 'mine.ts', sandbox);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.workflow;
}

async function problems(source: string): Promise<readonly Problem[]> {
  const result = await checkWorkflow(source, 'mine.ts', sandbox);
  if (result.ok) throw new Error('This was taken for a good workflow.');
  return result.problems;
}

/** The sample with one thing changed, which must be there. */
function changed(from: string, to: string): string {
  if (!SAMPLE.includes(from)) throw new Error(`The sample has no ${from}`);
  return SAMPLE.replace(from, to);
}

describe('a valid file', () => {
  it('[AU-1] gives its graph', async () => {
    const workflow = await good(SAMPLE);
    expect(workflow).toMatchObject({
      name: 'invoices',
      fileName: 'mine.ts',
      source: SAMPLE,
      sha: sha256Hex(SAMPLE),
      warnings: [],
    });
    expect(workflow.handlerConfig).toEqual({
      name: 'invoices',
      topics: ['mail.received', 'invoice.filed'],
      producers: {
        poll: {
          schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', missed: 'none' },
          publishes: ['mail.received'],
        },
      },
      consumers: {
        file: {
          subscribes: ['mail.received'],
          publishes: ['invoice.filed'],
          hasMutate: true,
          hasNext: true,
        },
        tell: { subscribes: ['invoice.filed'], publishes: [], hasMutate: false, hasNext: false },
      },
      uses: { http: { hosts: ['api.example.org'] }, files: { folders: ['~/Invoices'] } },
      cycles: [],
    });
    expect(handlerConfigSchema.parse(workflow.handlerConfig)).toEqual(workflow.handlerConfig);
  });

  it('[AU-1] the same from disk, with the name of the file', async () => {
    const path = join(tempFolder(), 'invoices.ts');
    writeFileSync(path, SAMPLE);
    expect(await loadWorkflowFile(path, sandbox)).toMatchObject({
      ok: true,
      workflow: { name: 'invoices', fileName: 'invoices.ts' },
    });
    const missing = await loadWorkflowFile(join(tempFolder(), 'gone.ts'), sandbox);
    expect(missing).toMatchObject({ ok: false, problems: [{ line: 1, column: 1 }] });
    const folder = await loadWorkflowFile(tempFolder(), sandbox);
    expect(folder.ok).toBe(false);
  });

  it('[AU-1] plain JavaScript, a class of handlers and computed names are as good', async () => {
    const { handlerConfig } = await good(`
      import { workflow } from 'holdfast';
      const TOPIC = ['a', 'b'].join('.');
      class Consumer { subscribes = TOPIC; async prepare() {} }
      const { subscribes } = new Consumer();
      export default workflow({
        name: 'plain', topics: [TOPIC],
        consumers: Object.fromEntries(['one'].map((name) => [name, { subscribes, prepare() {} }])),
      });`);
    expect(handlerConfig.consumers).toEqual({
      one: { subscribes: ['a.b'], publishes: [], hasMutate: false, hasNext: false },
    });
  });

  it('[AU-1] the file cannot make its graph depend on time or chance unseen', async () => {
    const source = changed(`name: 'invoices'`, 'name: `n${Date.now()}-${Math.random()}`');
    const [first, again] = [await good(source), await good(source)];
    expect(again.name.split('-')[1]).toBe(first.name.split('-')[1]);
  });

  it('[AU-1] topics that nothing consumes are pointed out', async () => {
    const { warnings } = await good(
      changed(`'invoice.filed'],\n  prod`, `'invoice.filed', 'x'],\n  prod`),
    );
    expect(warnings).toEqual(['Nothing consumes "x": its events will stay.']);
  });
});

describe('what is no workflow', () => {
  it.each([
    ['a syntax error', changed(`name: 'invoices'`, 'name: '), 'Expression expected.', 9, 9],
    ['an enum', `enum A { B }\n${SAMPLE}`, 'enum is not supported here', 1, 1],
    ['no export', 'const x = 1;', 'This file has no default export.', 1, 1],
    ['a number', 'const x = 1;\n  export default x;', 'not a workflow but: number.', 2, 3],
    ['a list', 'export default [];', 'not a workflow but: list.', 1, 1],
    [
      'an argument that is none',
      `import { workflow } from 'holdfast';\nexport default workflow('x');`,
      'workflow() takes one object',
      2,
      16,
    ],
    [
      'an import',
      `import { a } from 'holdfast';\nimport fs from 'node:fs';\n${SAMPLE}`,
      "not from 'node:fs'.",
      2,
      16,
    ],
    [
      'an import of a type as a value',
      changed('type Outcome', 'Outcome'),
      `'holdfast' has no "Outcome".`,
      1,
      20,
    ],
    [
      'a file that throws',
      `const a = null;\n\n  a.b.c;\n${SAMPLE}`,
      "cannot read property 'b' of null",
      3,
      3,
    ],
    ['a file that never ends', `\nfor (;;);\n${SAMPLE}`, 'The code computed for longer than', 1, 1],
    [
      'a file that waits',
      `await new Promise(() => {});\n${SAMPLE}`,
      'The file waits for a promise that never settles',
      1,
      1,
    ],
    ['a file that is empty', '', 'This file has no default export.', 1, 1],
    [
      'a value that is no JSON',
      changed(`hosts: ['api.example.org']`, 'hosts: () => 1'),
      '"hosts" cannot be stored as JSON',
      1,
      1,
    ],
    ['a file too large', `// ${'x'.repeat(1024 * 1024)}`, 'larger than 1048576 bytes', 1, 1],
  ])('[AU-2] %s is reported with its place', async (_name, source, message, line, column) => {
    const found = await problems(source);
    expect(found[0]?.message).toContain(message);
    expect(found).toMatchObject([{ line, column }]);
  });

  it('[AU-2] any text is either a workflow or a problem with a place', async () => {
    const cut = fc.nat(SAMPLE.length).map((at) => SAMPLE.slice(0, at));
    const spliced = fc
      .tuple(fc.nat(SAMPLE.length), fc.string({ maxLength: 5 }))
      .map(([at, text]) => SAMPLE.slice(0, at) + text + SAMPLE.slice(at));
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, spliced, fc.string()), async (source) => {
        const result = await checkWorkflow(source, 'mine.ts', sandbox);
        if (result.ok) return;
        const lines = source.split('\n').length;
        for (const { message, line, column } of result.problems) {
          expect(message).toMatch(/\S/);
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
          expect(column).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('a graph that cannot run', () => {
  it.each([
    [
      'an unknown topic',
      `subscribes: 'mail.received'`,
      `subscribes: 'mail.recieved'`,
      'There is no topic "mail.recieved"',
      24,
      19,
    ],
    [
      'an undeclared publish',
      `publishes: ['invoice.filed']`,
      `publishes: ['nowhere']`,
      'There is no topic "nowhere"',
      25,
      19,
    ],
    [
      'two consumers of one topic',
      `subscribes: ['invoice.filed']`,
      `subscribes: ['mail.received']`,
      '"file" and "tell" both consume "mail.received"',
      37,
      20,
    ],
    [
      'a topic twice',
      `'invoice.filed'],\n  prod`,
      `'invoice.filed', 'mail.received'],\n  prod`,
      'The topic "mail.received" is there twice.',
      11,
      12,
    ],
    [
      'no subscription',
      `      subscribes: ['invoice.filed'],\n`,
      '',
      'The consumer "tell" subscribes to nothing',
      36,
      5,
    ],
    [
      'no prepare',
      'prepare: () => ({}),',
      '',
      'The consumer "tell" has no function prepare().',
      36,
      5,
    ],
    [
      'a prepare that is none',
      'prepare: () => ({}),',
      'prepare: 5,',
      '"prepare" must be a function.',
      38,
      7,
    ],
    [
      'no run',
      'async run(ctx, state: { since: number } | null)',
      'async execute(ctx, state)',
      '',
      0,
      0,
    ],
    [
      'a run in a consumer',
      'prepare: () => ({}),',
      'prepare: () => ({}), run() {},',
      'has no use for run().',
      38,
      28,
    ],
    [
      'a key that is none',
      'prepare: () => ({}),',
      'prepare: () => ({}), topic: 1,',
      'The consumer "tell" has no "topic".',
      38,
      28,
    ],
    [
      'a part that is none',
      `  topics:`,
      `  version: 2,\n  topics:`,
      'A workflow has no "version".',
      11,
      3,
    ],
    [
      'a name with a slash',
      `name: 'invoices'`,
      `name: 'in/voices'`,
      '"in/voices" is no name',
      9,
      3,
    ],
    ['a name too long', `name: 'invoices'`, `name: '${'x'.repeat(101)}'`, 'is no name', 9, 3],
    ['no name', `  name: 'invoices',\n`, '', 'The workflow has no name.', 8, 16],
    ['a name that is no text', `name: 'invoices'`, 'name: 5', '5 is no name', 9, 3],
    [
      'a key of every object',
      `    tell: {`,
      `    ['__proto__']: {`,
      '"__proto__" is no name',
      36,
      6,
    ],
    [
      'one name for two',
      `    tell: {`,
      `    poll: {`,
      '"poll" is a producer and a consumer',
      36,
      5,
    ],
    [
      'topics that are no list',
      `['mail.received', 'invoice.filed']`,
      `'mail.received'`,
      '"topics" must be a list',
      11,
      3,
    ],
    [
      'uses that is no object',
      `{ http: { hosts: ['api.example.org'] }, files: { folders: ['~/Invoices'] } }`,
      `['http']`,
      '"uses" must be an object',
      10,
      3,
    ],
  ])('[AU-3] %s is refused with a sentence', async (_name, from, to, message, line, column) => {
    const found = await problems(changed(from, to));
    const all = found.map((problem) => problem.message).join('\n');
    expect(all).toContain(message);
    const first = found.find((problem) => problem.message.includes(message));
    if (line > 0) expect(first).toMatchObject({ line, column });
  });

  it('[AU-3] nothing to do is refused', async () => {
    const source = `import { workflow } from 'holdfast';\nexport default workflow({ name: 'a', topics: ['b'] });`;
    expect(await problems(source)).toEqual([
      {
        message: 'This workflow has neither producers nor consumers: there is nothing to do.',
        line: 2,
        column: 16,
      },
    ]);
  });

  it('[AU-3] everything wrong is said at once, in the order of the file', async () => {
    const source = changed(`name: 'invoices'`, `name: ''`)
      .replace(`'invoice.filed'],\n  prod`, `'invoice.filed', 'b/d'],\n  prod`)
      .replace(`subscribes: 'mail.received'`, `subscribes: 'x'`)
      .replace(`cron: '0 9 * * 1-5'`, `cron: 'never'`);
    expect((await problems(source)).map(({ line }) => line)).toEqual([9, 11, 14, 24]);
  });

  const CRON = `{ cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', missed: 'none' }`;

  it.each([
    [`{ every: '5x' }`, '"5x" is no interval', 19],
    [`{ every: '5s' }`, '"5s" is no interval. Write 30s, 5m, 1h or 2d; at least 10s.', 19],
    [`{ every: '400d' }`, 'is no interval', 19],
    [`{ every: 300 }`, 'A schedule is', 7],
    [`{ cron: '61 * * * *' }`, '"61 * * * *" is no cron schedule', 19],
    [`{ cron: '0 9 * *' }`, 'is no cron schedule', 19],
    [`{ cron: '2030-01-01T00:00:00' }`, 'is no cron schedule', 19],
    [`{ cron: '0 0 31 2 *' }`, '"0 0 31 2 *" never comes.', 19],
    [`{ cron: '* * * * * *' }`, 'comes more often than every 10 seconds', 19],
    [`{ cron: '0 9 * * *', timezone: 'Mars/Olympus' }`, '"Mars/Olympus" is no time zone', 38],
    [`{ cron: '0 9 * * *', missed: 'some' }`, `"missed" is one of 'latest', 'none', 'all'.`, 38],
    [`{ every: '5m', overlap: 'queue' }`, `"overlap" is one of 'coalesce', 'skip'.`, 32],
    [`{ every: '5m', timezone: 'Europe/Berlin' }`, 'An interval has no time zone', 32],
    [`{ every: '5m', cron: '0 9 * * *' }`, 'A schedule is', 7],
    [`{ every: '5m', jitter: 1 }`, 'A schedule has no "jitter".', 32],
    ['{}', 'A schedule is', 7],
    [`'5m'`, 'A schedule is', 7],
    ['undefined', 'A schedule is', 7],
  ])('[AU-3] the schedule %s is refused', async (schedule, message, column) => {
    const [problem] = await problems(changed(CRON, schedule));
    expect(problem?.message).toContain(message);
    expect(problem).toMatchObject({ line: 14, column });
  });

  it.each([
    `{ every: '10s' }`,
    `{ every: '2d', overlap: 'skip', missed: 'all' }`,
    `{ cron: '*/15 * * * *' }`,
    `{ cron: '*/10 * * * * *' }`,
    `{ cron: '0 9 * * MON-FRI', timezone: 'Asia/Tokyo' }`,
    `{ cron: '@daily' }`,
  ])('[AU-3] the schedule %s is kept', async (schedule) => {
    await good(changed(CRON, schedule));
  });
});

describe('cycles', () => {
  it('[AU-4] are allowed, kept with the graph and shown', async () => {
    const source = changed(
      `subscribes: ['invoice.filed'],`,
      `subscribes: ['invoice.filed'], publishes: ['mail.received'],`,
    );
    const { handlerConfig, warnings } = await good(source);
    expect(handlerConfig.cycles).toEqual([['mail.received', 'invoice.filed']]);
    expect(warnings).toEqual(['Events go round: mail.received → invoice.filed → mail.received.']);
  });
});

describe('types', () => {
  it('[AU-5] are taken out and every other character stays where it was', async () => {
    const { code } = await good(SAMPLE);
    expect(code).toHaveLength(SAMPLE.length);
    expect(code.split('\n')).toHaveLength(SAMPLE.split('\n').length);
    expect(code).not.toMatch(/interface|: Invoice|: Outcome|since: number/);
    const moved = SAMPLE.split('').filter((char, at) => code[at] !== ' ' && code[at] !== char);
    expect(moved).toEqual([]);
  });

  it('[AU-5] positions of errors are those of the source, behind types and wide characters', async () => {
    const line = `const größe: Map<string, Array<'ä' | '日本'>> = new Map(); type Ö = 'ü'; (null as any).x;`;
    const found = await problems(`\n${line}\n`);
    expect(found).toMatchObject([{ line: 2, column: line.indexOf('(null') + 1 }]);
  });

  it('[AU-5] a byte order mark and Windows line ends do not move anything', async () => {
    const source = `\uFEFFconst a: number = 1;\r\n  (null as any).x;\r\n`;
    expect(await problems(source)).toMatchObject([{ line: 2, column: 3 }]);
    expect(stripTypes('\uFEFFlet a: 1')).toBe('let a   ');
  });
});
