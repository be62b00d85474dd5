// The layer rules are tried with deliberate violations in a tree of their own.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '#test/support/temp-folder.ts';
import { runProgram } from '#test/support/processes.ts';

async function cruise(files: { [path: string]: string }): Promise<string[]> {
  const tree = tempFolder();
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
    cpSync(file, join(tree, file));
  }
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  const all = { 'src-main/a.ts': '', 'src-renderer/a.ts': '', 'src-shared/a.ts': '', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), `${text}\nexport {};\n`);
  }
  const { stdout } = await runProgram(
    process.execPath,
    [
      resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'json',
      'src-main',
      'src-renderer',
      'src-shared',
    ],
    tree,
  );
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string } }[]; totalCruised: number };
  };
  expect(summary.totalCruised).toBeGreaterThan(2);
  return [...new Set(summary.violations.map(({ rule }) => rule.name))].toSorted();
}

describe('layers', () => {
  it('[LY-1] a tree that keeps the rules passes', async () => {
    const violations = await cruise({
      'src-main/shell/main.ts': `import 'electron';\nimport '#main/a.ts';`,
      'src-renderer/page.ts': `import '#shared/a.ts';`,
    });
    expect(violations).toEqual([]);
  });

  it('[LY-1] electron outside the shell fails', async () => {
    const violations = await cruise({ 'src-main/engine/a.ts': `import 'electron';` });
    expect(violations).toEqual(['only-the-shell-knows-electron']);
  });

  it('[LY-1] src-main in the renderer fails', async () => {
    const violations = await cruise({ 'src-renderer/page.ts': `import '#main/a.ts';` });
    expect(violations).toEqual(['renderer-imports-shared-only']);
  });

  it('[LY-1] src-shared imports nothing of ours and no node', async () => {
    const violations = await cruise({
      'src-shared/bad.ts': `import '#main/a.ts';\nimport 'node:fs';`,
    });
    expect(violations).toEqual(['shared-imports-nothing-of-ours', 'shared-knows-no-platform']);
  });

  it('[LY-1] engine and sync do not know each other', async () => {
    const violations = await cruise({
      'src-main/engine/a.ts': `import '#main/sync/b.ts';`,
      'src-main/sync/b.ts': '',
      'src-main/sync/c.ts': `import '#main/engine/a.ts';`,
    });
    expect(violations).toEqual([
      'engine-and-sync-speak-through-the-store',
      'sync-and-engine-speak-through-the-store',
    ]);
  });
});
