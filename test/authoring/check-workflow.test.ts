import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkWorkflow, type CheckedWorkflow } from '#main/authoring/check-workflow.ts';
import { stripTypes, type Problem } from '#main/sandbox/strip-types.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import { handlerConfigSchema } from '#shared/authoring/handler-config.ts';
import { sha256Hex } from '#shared/ids.ts';
import { SAMPLE } from '#test/authoring/sample.ts';

const sandbox = createSandbox({ workers: 1 });
afterAll(() => sandbox.close());

async function good(source: string): Promise<CheckedWorkflow> {
  const result = await checkWorkflow(source, 'mine.ts', sandbox);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.workflow;
}

async function problems(source: string): Promise<readonly Problem[]> {
  const result = await checkWorkflow(source, 'mine.ts', sandbox);
  if (result.ok) throw new Error('The workflow was accepted.');
  return result.problems;
}

/** The sample with one text replaced, which must occur in it. */
function changed(from: string, to: string): string {
  if (!SAMPLE.includes(from)) throw new Error(`The sample has no ${from}`);
  return SAMPLE.replace(from, to);
}

describe('a valid file', () => {
  it('[AU-1] gives its graph, hash and no warnings', async () => {
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
      limits: {},
      cycles: [],
    });
    expect(handlerConfigSchema.parse(workflow.handlerConfig)).toEqual(workflow.handlerConfig);
  });

  it('[OF-12] reads how long the work of a handler may wait for the outside', async () => {
    const limited = SAMPLE.replace(
      "subscribes: 'mail.received',",
      "subscribes: 'mail.received', giveUpAfter: '2d',",
    ).replace('    poll: {\n', "    poll: { giveUpAfter: '6h',\n");
    const { handlerConfig } = await good(limited);
    expect(handlerConfig.producers['poll']?.giveUpAfter).toBe('6h');
    expect(handlerConfig.consumers['file']?.giveUpAfter).toBe('2d');
    expect(handlerConfig.consumers['tell']).not.toHaveProperty('giveUpAfter');
    expect(handlerConfigSchema.parse(handlerConfig)).toEqual(handlerConfig);
  });

  it.each([`'soon'`, `'5s'`, `2`, `null`])(
    '[OF-12] a giveUpAfter of %s is refused',
    async (value) => {
      for (const name of ['poll', 'file']) {
        const [problem] = await problems(
          SAMPLE.replace(new RegExp(`(  ${name}): \\{`), `$1: { giveUpAfter: ${value},`),
        );
        expect(problem?.message).toContain('"giveUpAfter" must be a duration like');
        expect(problem?.line).toBe(
          SAMPLE.slice(0, SAMPLE.indexOf(`  ${name}: {`, 400)).split('\n').length,
        );
      }
    },
  );

  it('[AR-15] [AR-18] says what completes its inputs and how long they wait for a person', async () => {
    const rules = `completes: 'explicit', needsHuman: { within: '14d', otherwise: 'failed' }`;
    const { handlerConfig } = await good(changed('topics:', `${rules}, topics:`));
    expect(handlerConfig).toMatchObject({
      completes: 'explicit',
      needsHuman: { within: '14d', otherwise: 'failed' },
    });
    expect(handlerConfigSchema.parse(handlerConfig)).toEqual(handlerConfig);
  });

  it('[AR-15] [AR-18] is refused with the position of a rule that makes no sense', async () => {
    const refused = async (rules: string): Promise<Problem> => {
      const source = changed('topics:', `${rules}, topics:`);
      const [first, ...others] = await problems(source);
      expect(others).toEqual([]);
      const { line = 0, column = 0 } = first ?? {};
      expect(source.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^\w/);
      return {
        ...(first as Problem),
        message: `${first?.message}|${source.split('\n')[line - 1]?.slice(column - 1)}`,
      };
    };
    const cases = [
      [
        `completes: 'always'`,
        /^"completes" must be 'drained'.*'explicit'.*not "always"\.\|completes:/,
      ],
      [`needsHuman: '14d'`, /^"needsHuman" must be an object.*\|needsHuman:/],
      [`needsHuman: { wait: '1d' }`, /^"wait" is not a field of needsHuman.*\|wait:/],
      [`needsHuman: { within: '14 days' }`, /^"within" must be a duration.*\|within:/],
      [
        `needsHuman: { otherwise: 'canceled' }`,
        /^"otherwise" must be 'timed_out' or 'failed'.*\|otherwise:/,
      ],
      [`needsHuman: { remind: '2d', within: '1d' }`, /^"remind" \(2d\) must be shorter.*\|remind:/],
    ] as const;
    for (const [rules, message] of cases) expect((await refused(rules)).message).toMatch(message);
  });

  it('[AU-1] may be plain JavaScript with a class and computed names', async () => {
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

  it('[AU-1] gets the same random numbers each time it is checked', async () => {
    const source = changed(`name: 'invoices'`, 'name: `n${Date.now()}-${Math.random()}`');
    const [first, again] = [await good(source), await good(source)];
    expect(again.name.split('-')[1]).toBe(first.name.split('-')[1]);
  });

  it('[AU-1] gets a warning for a topic without a consumer', async () => {
    const { warnings } = await good(
      changed(`'invoice.filed'],\n  prod`, `'invoice.filed', 'x'],\n  prod`),
    );
    expect(warnings).toEqual(['"x" has no consumer. Its events stay pending.']);
  });
});

describe('an invalid file', () => {
  it.each([
    ['a syntax error', changed(`name: 'invoices'`, 'name: '), 'Expression expected.', 9, 9],
    ['an enum', `enum A { B }\n${SAMPLE}`, 'enum is not supported here', 1, 1],
    ['no export', 'const x = 1;', 'This file has no default export.', 1, 1],
    ['a number', 'const x = 1;\n  export default x;', 'not a workflow: number.', 2, 3],
    ['a list', 'export default [];', 'not a workflow: list.', 1, 1],
    [
      'an argument that is not an object',
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
      `'holdfast' has no export "Outcome".`,
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
    ['an empty file', '', 'This file has no default export.', 1, 1],
    [
      'a value that is not JSON',
      changed(`hosts: ['api.example.org']`, 'hosts: () => 1'),
      `"hosts" can't be stored as JSON`,
      1,
      1,
    ],
    [
      'a limit of a host that is not valid',
      changed('name:', "limits: { 'api.example.org': { perSecond: 0 } }, name:"),
      '"limits.api.example.org.perSecond": Too small',
      9,
      13,
    ],
    [
      'a limit of something that is no host',
      changed('name:', "limits: { '*.example.org': { perSecond: 1 } }, name:"),
      '"limits.*.example.org": must be one host in lower case',
      9,
      13,
    ],
    ['a file too large', `// ${'x'.repeat(1024 * 1024)}`, 'larger than 1048576 bytes', 1, 1],
  ])('[AU-2] %s is reported with line and column', async (_name, source, message, line, column) => {
    const found = await problems(source);
    expect(found[0]?.message).toContain(message);
    expect(found).toMatchObject([{ line, column }]);
  });

  it('[AU-2] any text gives a workflow, or problems with a valid line and column', async () => {
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

describe('an invalid graph', () => {
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
      'The topic "mail.received" is listed twice.',
      11,
      12,
    ],
    [
      'no subscription',
      `      subscribes: ['invoice.filed'],\n`,
      '',
      'The consumer "tell" has no topics.',
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
      'a prepare that is not a function',
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
      "can't have run().",
      38,
      28,
    ],
    [
      'an unknown key of a consumer',
      'prepare: () => ({}),',
      'prepare: () => ({}), topic: 1,',
      `The consumer "tell" can't have "topic".`,
      38,
      28,
    ],
    [
      'an unknown key of the workflow',
      `  topics:`,
      `  version: 2,\n  topics:`,
      '"version" is not a field of a workflow.',
      11,
      3,
    ],
    [
      'a name with a slash',
      `name: 'invoices'`,
      `name: 'in/voices'`,
      '"in/voices" is not a valid name',
      9,
      3,
    ],
    [
      'a name too long',
      `name: 'invoices'`,
      `name: '${'x'.repeat(101)}'`,
      'is not a valid name',
      9,
      3,
    ],
    ['no name', `  name: 'invoices',\n`, '', 'The workflow has no name.', 8, 16],
    ['a name that is not text', `name: 'invoices'`, 'name: 5', '5 is not a valid name', 9, 3],
    [
      'a consumer named __proto__',
      `    tell: {`,
      `    ['__proto__']: {`,
      '"__proto__" is not a valid name',
      36,
      6,
    ],
    [
      'a producer and a consumer of one name',
      `    tell: {`,
      `    poll: {`,
      '"poll" is both a producer and a consumer',
      36,
      5,
    ],
    [
      'topics that are not a list',
      `['mail.received', 'invoice.filed']`,
      `'mail.received'`,
      '"topics" must be a list',
      11,
      3,
    ],
    [
      'uses that is not an object',
      `{ http: { hosts: ['api.example.org'] }, files: { folders: ['~/Invoices'] } }`,
      `['http']`,
      '"uses" must be an object',
      10,
      3,
    ],
  ])('[AU-3] %s is refused with a message', async (_name, from, to, message, line, column) => {
    const found = await problems(changed(from, to));
    const all = found.map((problem) => problem.message).join('\n');
    expect(all).toContain(message);
    const first = found.find((problem) => problem.message.includes(message));
    if (line > 0) expect(first).toMatchObject({ line, column });
  });

  it('[AU-3] without handlers is refused', async () => {
    const source = `import { workflow } from 'holdfast';\nexport default workflow({ name: 'a', topics: ['b'] });`;
    expect(await problems(source)).toEqual([
      {
        message: 'The workflow has no producers and no consumers.',
        line: 2,
        column: 16,
      },
    ]);
  });

  it('[AU-3] reports all problems in the order of the file', async () => {
    const source = changed(`name: 'invoices'`, `name: ''`)
      .replace(`'invoice.filed'],\n  prod`, `'invoice.filed', 'b/d'],\n  prod`)
      .replace(`subscribes: 'mail.received'`, `subscribes: 'x'`)
      .replace(`cron: '0 9 * * 1-5'`, `cron: 'never'`);
    expect((await problems(source)).map(({ line }) => line)).toEqual([9, 11, 14, 24]);
  });

  const CRON = `{ cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', missed: 'none' }`;

  it.each([
    [`{ every: '5x' }`, '"5x" is not a valid interval', 19],
    [`{ every: '5s' }`, '"5s" is not a valid interval. Write 30s, 5m, 1h or 2d; at least 10s.', 19],
    [`{ every: '400d' }`, 'is not a valid interval', 19],
    [`{ every: 300 }`, 'A schedule must be', 7],
    [`{ cron: '61 * * * *' }`, '"61 * * * *" is not a cron schedule', 19],
    [`{ cron: '0 9 * *' }`, 'is not a cron schedule', 19],
    [`{ cron: '2030-01-01T00:00:00' }`, 'is not a cron schedule', 19],
    [`{ cron: '0 0 31 2 *' }`, '"0 0 31 2 *" never fires.', 19],
    [`{ cron: '* * * * * *' }`, 'fires more often than every 10 seconds', 19],
    [`{ cron: '0 9 * * *', timezone: 'Mars/Olympus' }`, '"Mars/Olympus" is not a time zone', 38],
    [
      `{ cron: '0 9 * * *', missed: 'some' }`,
      `"missed" must be one of 'latest', 'none', 'all'.`,
      38,
    ],
    [`{ every: '5m', overlap: 'queue' }`, `"overlap" must be one of 'coalesce', 'skip'.`, 32],
    [`{ every: '5m', timezone: 'Europe/Berlin' }`, 'Only a cron schedule can have a time zone', 32],
    [`{ every: '5m', cron: '0 9 * * *' }`, 'A schedule must be', 7],
    [`{ every: '5m', jitter: 1 }`, '"jitter" is not a field of a schedule.', 32],
    ['{}', 'A schedule must be', 7],
    [`'5m'`, 'A schedule must be', 7],
    ['undefined', 'A schedule must be', 7],
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
  ])('[AU-3] the schedule %s is accepted', async (schedule) => {
    await good(changed(CRON, schedule));
  });
});

describe('cycles', () => {
  it('[AU-4] are allowed, part of the graph, and give a warning', async () => {
    const source = changed(
      `subscribes: ['invoice.filed'],`,
      `subscribes: ['invoice.filed'], publishes: ['mail.received'], next() {},`,
    );
    const { handlerConfig, warnings } = await good(source);
    expect(handlerConfig.cycles).toEqual([['mail.received', 'invoice.filed']]);
    expect(warnings).toEqual([
      'Events form a cycle: mail.received → invoice.filed → mail.received.',
    ]);
  });
});

describe('types', () => {
  it('[AU-5] are removed, and every other character stays at its position', async () => {
    const { code } = await good(SAMPLE);
    expect(code).toHaveLength(SAMPLE.length);
    expect(code.split('\n')).toHaveLength(SAMPLE.split('\n').length);
    expect(code).not.toMatch(/interface|: Invoice|: Outcome|since: number/);
    const moved = SAMPLE.split('').filter((char, at) => code[at] !== ' ' && code[at] !== char);
    expect(moved).toEqual([]);
  });

  it('[AU-5] do not shift error positions, also after wide characters', async () => {
    const line = `const größe: Map<string, Array<'ä' | '日本'>> = new Map(); type Ö = 'ü'; (null as any).x;`;
    const found = await problems(`\n${line}\n`);
    expect(found).toMatchObject([{ line: 2, column: line.indexOf('(null') + 1 }]);
  });

  it('[AU-5] a byte order mark and Windows line ends do not shift positions', async () => {
    const source = `\uFEFFconst a: number = 1;\r\n  (null as any).x;\r\n`;
    expect(await problems(source)).toMatchObject([{ line: 2, column: 3 }]);
    expect(stripTypes('\uFEFFlet a: 1')).toBe('let a   ');
  });
});

describe('what is valid and never works', () => {
  const publishing = (handlers: string): string => `
    import { workflow } from 'holdfast';
    export default workflow({ name: 'odd', topics: ['in', 'out'], ${handlers}
      consumers: {
        c: { subscribes: 'in', prepare() {} },
        d: { subscribes: 'out', publishes: ['in'], prepare() {}, async next(ctx) {
          await ctx.publish('in', { id: 'a', title: 'a' });
        } },
      },
    });`;
  const producer = (publishes: string, run: string): string =>
    publishing(
      `producers: { p: { schedule: { every: '1d' }, ${publishes} async run(ctx) { ${run} } } },`,
    );
  const publish = `await ctx.publish('in', { id: 'a', title: 'a' });`;

  it('[AU-8] a handler that publishes to a topic that it does not list is named, with the topic', async () => {
    expect((await good(producer('', publish))).warnings).toEqual([
      `The producer "p" publishes to "in" and doesn't list it. Add it to its "publishes".`,
    ]);
    expect((await good(producer(`publishes: ['out'],`, publish))).warnings.length).toBe(1);
    const consumer = publishing('').replace(`publishes: ['in']`, `publishes: ['out']`);
    expect((await good(consumer)).warnings).toContain(
      `The consumer "d" publishes to "in" and doesn't list it. Add it to its "publishes".`,
    );
  });

  it('[AU-8] a handler that publishes to computed topics and lists none is named', async () => {
    expect((await good(producer('', 'await ctx.publish(ctx.runId, {});'))).warnings).toEqual([
      `The producer "p" calls publish() and lists no topics. Add "publishes" with them.`,
    ]);
  });

  it('[AU-8] a consumer that lists topics to publish and has no next() is named', async () => {
    const source = publishing('').replace(/, async next[^]*?\} \},/, ' },');
    expect((await good(source)).warnings).toContain(
      'The consumer "d" has "publishes" and no next(), so it never publishes. Add next(), or remove "publishes".',
    );
  });

  it('[AU-8] a handler that lists its topics, or names publish() in a comment only, is not', async () => {
    expect((await good(producer(`publishes: ['in'],`, publish))).warnings).toEqual([]);
    expect((await good(producer('', `// ctx.publish('in')\n`))).warnings).toEqual([]);
  });
});
