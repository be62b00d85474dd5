// Every example validates without warnings, and the types for authors match the tools.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { checkWorkflow } from '#main/authoring/check-workflow.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import type { Runner } from '#main/runner/runner.ts';
import { createTools, describeTools } from '#main/tools/registry.ts';
import type { MutationTools, ReadTools } from '#shared/authoring/workflow.ts';
import { EXAMPLES } from '#test/examples/start-example.ts';

const sandbox = createSandbox({ workers: 1 });
afterAll(() => sandbox.close());

const names = readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts'));

test('[AU-1] there are at least eleven examples, each named in a test of this folder', () => {
  expect(names.length).toBeGreaterThanOrEqual(11);
  const tests = ['files', 'people', 'practice', 'services'].map((file) =>
    readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8'),
  );
  const untested = names.filter((name) => !tests.some((text) => text.includes(`'${name}'`)));
  expect(untested).toEqual([]);
});

test.each(names)(
  '[AU-1] examples/%s validates without warnings and is named like its file',
  async (name) => {
    const source = readFileSync(new URL(name, EXAMPLES), 'utf8');
    const check = await checkWorkflow(source, name, sandbox);
    expect(check.ok ? check.workflow.warnings : check.problems).toEqual([]);
    expect(check.ok && check.workflow.name).toBe(name.replace('.ts', ''));
  },
);

test('[AU-1] the types for authors list exactly the tools that exist', () => {
  const reads: { [Name in keyof ReadTools]: Record<keyof ReadTools[Name], 'read'> } = {
    http: { get: 'read', head: 'read' },
    files: { list: 'read', read: 'read', stat: 'read' },
    mail: { search: 'read', read: 'read' },
    feed: { read: 'read' },
  };
  const mutations: {
    [Name in keyof MutationTools]: Record<keyof MutationTools[Name], 'mutation'>;
  } = {
    http: { post: 'mutation', put: 'mutation', patch: 'mutation', delete: 'mutation' },
    files: { write: 'mutation', move: 'mutation', append: 'mutation', mkdir: 'mutation' },
    mail: { send: 'mutation' },
    notify: { show: 'mutation' },
    ask: { question: 'mutation' },
    runner: { run: 'mutation' },
  };
  const tools = createTools({
    notifier: async () => {},
    dataDir: '/nowhere',
    // Only described, never called.
    runner: {} as Runner,
  });
  const known = describeTools(tools).flatMap(({ methods }) =>
    methods.map(({ name, kind }) => `${kind} ${name}`),
  );
  expect([...kinds(reads), ...kinds(mutations)].toSorted()).toEqual(known.toSorted());
});

function kinds(tools: {
  readonly [name: string]: { readonly [method: string]: string };
}): string[] {
  return Object.entries(tools).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, kind]) => `${kind} ${name}.${method}`),
  );
}
