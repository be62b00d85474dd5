// Runs the layer rules of .dependency-cruiser.cjs on two temporary trees: one that obeys them, and one
// with a deliberate violation in each file.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '#test/support/child-processes.ts';

interface Files {
  readonly [path: string]: string;
}

const VALID: Files = {
  'src-main/store/a.ts': '',
  'src-main/host/a.ts': `import '#main/store/a.ts';`,
  'src-main/shell/main.ts': `import 'electron';\nimport '#main/host/a.ts';\nimport 'node:fs';`,
  'src-shared/a.ts': '',
  'src-renderer/page.ts': `import '#shared/a.ts';`,
  'test/blackbox/good.ts': `import 'node:fs';\nimport 'vitest';`,
};

/** A file, its text, and the one rule that it breaks. */
const VIOLATIONS = [
  ['src-main/engine/bad.ts', `import 'electron';`, 'only-the-shell-imports-electron'],
  ['src-main/engine/worse.ts', `import '#main/sync/a.ts';`, 'engine-does-not-import-sync'],
  ['src-main/sync/bad.ts', `import '#main/engine/a.ts';`, 'sync-imports-lower-layers-only'],
  [
    'src-main/platform/bad.ts',
    `import '#main/secrets/a.ts';`,
    'platform-imports-lower-layers-only',
  ],
  ['src-main/secrets/bad.ts', `import '#main/store/a.ts';`, 'secrets-imports-lower-layers-only'],
  ['src-main/api/bad.ts', `import '#renderer/a.ts';`, 'main-imports-no-renderer'],
  ['src-main/api/worse.ts', `import '#main/extras/a.ts';`, 'every-main-folder-has-a-layer'],
  ['src-renderer/bad.ts', `import '#main/store/a.ts';`, 'renderer-imports-shared-only'],
  ['src-renderer/worse.ts', `import 'node:fs';`, 'renderer-has-no-node'],
  ['src-shared/bad.ts', `import '#main/store/a.ts';`, 'shared-imports-nothing-of-ours'],
  ['src-shared/worse.ts', `import 'node:fs';`, 'shared-has-no-platform-code'],
  ['test/blackbox/bad.ts', `import '#shared/a.ts';`, 'blackbox-imports-nothing-of-ours'],
  ['test/blackbox/worse.ts', `import '#main/store/a.ts';`, 'blackbox-imports-nothing-of-ours'],
  ['test/blackbox/support.ts', `import '#test/support/a.ts';`, 'blackbox-imports-nothing-of-ours'],
  ['test/blackbox/library.ts', `import 'zod';`, 'blackbox-imports-nothing-of-ours'],
  ['src-shared/circle.ts', `import '#shared/circle.ts';`, 'no-circular-imports'],
] as const;

/** The files that the violations import. */
const TARGETS: Files = {
  'src-main/engine/a.ts': '',
  'src-main/extras/a.ts': '',
  'src-main/secrets/a.ts': '',
  'src-main/store/a.ts': '',
  'src-main/sync/a.ts': '',
  'src-renderer/a.ts': '',
  'src-shared/a.ts': '',
  'test/support/a.ts': '',
};

const trees: string[] = [];
afterAll(() => {
  for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});

/** The violations in a tree of these files, as `file: rule`. */
async function cruise(files: Files): Promise<string[]> {
  const tree = mkdtempSync(join(tmpdir(), 'holdfast-layers-'));
  trees.push(tree);
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
    cpSync(file, join(tree, file));
  }
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), `${text}\nexport {};\n`);
  }
  const cruiser = resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const { stdout } = await runProgram(
    process.execPath,
    [cruiser, ...options, 'src-main', 'src-renderer', 'src-shared', 'test/blackbox'],
    tree,
  );
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { from: string; rule: { name: string } }[]; totalCruised: number };
  };
  expect(summary.totalCruised).toBeGreaterThanOrEqual(Object.keys(files).length);
  return summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`).toSorted();
}

describe('layers', () => {
  let found: string[];
  beforeAll(async () => {
    const bad = Object.fromEntries(VIOLATIONS.map(([path, text]) => [path, text]));
    found = await cruise({ ...TARGETS, ...bad });
  });

  it('[LY-1] a tree that obeys the rules passes', async () => {
    expect(await cruise(VALID)).toEqual([]);
  });

  it.each(VIOLATIONS)('[LY-1] [LY-2] %s with %s breaks %s', (file, _, rule) => {
    expect(found.filter((line) => line.startsWith(`${file}:`))).toEqual([`${file}: ${rule}`]);
  });

  it('[LY-1] no file breaks a rule without a deliberate violation', () => {
    expect(found).toHaveLength(VIOLATIONS.length);
  });

  it('[LY-1] every rule that is not about one folder has a violation here', () => {
    const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
      forbidden: { name: string }[];
    };
    const general = forbidden
      .map(({ name }) => name)
      .filter((name) => !name.includes('lower-layers'));
    const broken: readonly string[] = VIOLATIONS.map(([, , rule]) => rule);
    expect(general.filter((name) => !broken.includes(name))).toEqual([]);
  });
});
