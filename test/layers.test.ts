// Each layer rule is tested with a deliberate violation in a temporary tree.
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
  const all = {
    'src-main/a.ts': '',
    'src-renderer/a.ts': '',
    'src-shared/a.ts': '',
    'test/blackbox/a.ts': '',
    ...files,
  };
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
      'test/blackbox',
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
      'src-main/shell/main.ts': `import 'electron';\nimport '#main/a.ts';\nimport '#main/store/a.ts';`,
      'src-main/store/a.ts': '',
      'src-renderer/page.ts': `import '#shared/a.ts';`,
    });
    expect(violations).toEqual([]);
  });

  it('[LY-1] electron outside the shell fails', async () => {
    const violations = await cruise({ 'src-main/engine/a.ts': `import 'electron';` });
    expect(violations).toEqual(['only-the-shell-imports-electron']);
  });

  it('[LY-1] src-main in the renderer fails', async () => {
    const violations = await cruise({ 'src-renderer/page.ts': `import '#main/a.ts';` });
    expect(violations).toEqual(['renderer-imports-shared-only']);
  });

  it('[LY-1] src-main or node in src-shared fails', async () => {
    const violations = await cruise({
      'src-shared/bad.ts': `import '#main/a.ts';\nimport 'node:fs';`,
    });
    expect(violations).toEqual(['shared-has-no-platform-code', 'shared-imports-nothing-of-ours']);
  });

  it('[LY-1] engine and sync importing each other fails', async () => {
    const violations = await cruise({
      'src-main/engine/a.ts': `import '#main/sync/b.ts';`,
      'src-main/sync/b.ts': '',
      'src-main/sync/c.ts': `import '#main/engine/a.ts';`,
    });
    expect(violations).toEqual(['engine-does-not-import-sync', 'sync-imports-lower-layers-only']);
  });

  it('[LY-1] two folders that import each other fail, also through a third', async () => {
    const violations = await cruise({
      'src-main/store/a.ts': `import '#main/platform/a.ts';`,
      'src-main/platform/a.ts': '',
      'src-main/platform/b.ts': `import '#main/secrets/a.ts';`,
      'src-main/secrets/a.ts': '',
      'src-main/secrets/b.ts': `import '#main/store/a.ts';`,
    });
    expect(violations).toEqual([
      'platform-imports-lower-layers-only',
      'secrets-imports-lower-layers-only',
    ]);
  });

  it('[LY-2] the black-box suite may import Node and its own files', async () => {
    const violations = await cruise({
      'test/blackbox/main.ts': `import 'node:fs';\nimport '#test/blackbox/a.ts';`,
      'test/blackbox/blackbox.test.ts': `import 'vitest';`,
    });
    expect(violations).toEqual([]);
  });

  it.each(['#main/a.ts', '#shared/a.ts', '#test/support/a.ts', 'zod', '../../src-main/a.ts'])(
    '[LY-2] %s in the black-box suite fails',
    async (path) => {
      const violations = await cruise({
        'test/blackbox/main.ts': `import '${path}';`,
        'test/support/a.ts': '',
      });
      expect(violations).toEqual(['blackbox-imports-nothing-of-ours']);
    },
  );

  it('[LY-1] a folder without a layer fails', async () => {
    const violations = await cruise({
      'src-main/api/a.ts': `import '#main/extras/a.ts';`,
      'src-main/extras/a.ts': '',
    });
    expect(violations).toEqual(['every-main-folder-has-a-layer']);
  });
});
