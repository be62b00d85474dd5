// Follows every page: saves its files, runs its commands and checks its links.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkWorkflow } from '#main/authoring/check-workflow.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import { blocksOf, type Block } from '#test/docs/blocks.ts';
import { Reader } from '#test/docs/reader.ts';

const root = packageRoot();
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].toSorted();
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

const RUN = ['sh', 'ts'];

const sandbox = createSandbox({ workers: 1 });
afterAll(() => sandbox.close());

const notRun: string[] = [];
afterAll(() => {
  for (const line of notRun) process.stdout.write(`not run: ${line}\n`);
});

test.each(pages.filter((page) => runnable(page).length > 0))(
  '[DC-1] %s can be followed, block by block',
  async (page) => {
    const reader = await Reader.settle();
    for (const block of runnable(page)) {
      const why = block.notes['not run'] ?? (await missing(reader, block));
      if (why !== undefined) notRun.push(`${page}:${block.line}: ${why}`);
      else if (block.language === 'sh') await reader.follow(block);
      else if (block.notes['file'] !== undefined) reader.save(block.notes['file'], block.text);
    }
  },
  300_000,
);

test.each(pages.filter((page) => workflows(page).length > 0))(
  '[DC-2] the workflows of %s are valid',
  async (page) => {
    for (const { text, line } of workflows(page)) {
      const check = await checkWorkflow(text, `${page}:${line}`, sandbox);
      expect(check.ok ? check.workflow.warnings : check.problems).toEqual([]);
    }
  },
);

test('[DC-1] a block that is not run states the reason, and every other block can be run or checked', () => {
  for (const page of pages) {
    for (const { notes, line, language, text } of blocksOf(read(page))) {
      const place = `${page}:${line}`;
      if ('not run' in notes) expect(notes['not run']?.length, place).toBeGreaterThan(10);
      else if (language === 'ts') {
        expect(notes['file'] ?? text, place).toMatch(/\.ts$|export default workflow\(/);
      } else if (language === 'json') expect(() => JSON.parse(text), place).not.toThrow();
    }
  }
});

test('[DC-3] every link leads somewhere, and every page is linked or named on another', () => {
  const reached = new Set<string>();
  for (const page of pages) {
    for (const [, link = ''] of read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)) {
      const target = resolve(root, dirname(page), link);
      expect(existsSync(target), `${page}: ${link}`).toBe(true);
      if (target !== join(root, page)) reached.add(target);
    }
    for (const [, name = ''] of read(page).matchAll(/`(docs\/[\w/.-]+\.md)`/g)) {
      reached.add(join(root, name));
    }
  }
  const lost = pages.filter((page) => page !== 'README.md' && !reached.has(join(root, page)));
  expect(lost).toEqual([]);
});

test('[DC-4] every message under troubleshooting is one that the code can say', () => {
  const said = [...read('docs/troubleshooting.md').matchAll(/^### “(.+)”$/gm)].map(
    ([, m]) => m ?? '',
  );
  const sources = ['src-main', 'src-shared', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  expect(said.length).toBeGreaterThan(20);
  expect(said.filter((message) => !sources.some((text) => text.includes(message)))).toEqual([]);
});

function runnable(page: string): Block[] {
  return blocksOf(read(page)).filter(
    ({ language, notes }) => RUN.includes(language) || notes['file'] !== undefined,
  );
}

function workflows(page: string): Block[] {
  return blocksOf(read(page)).filter(
    ({ language, text }) => language === 'ts' && text.includes('export default workflow('),
  );
}

async function missing(reader: Reader, { notes }: Block): Promise<string | undefined> {
  const { needs } = notes;
  if (needs === undefined || (await reader.knows(needs))) return undefined;
  return `this Holdfast has no "holdfast ${needs}"`;
}
