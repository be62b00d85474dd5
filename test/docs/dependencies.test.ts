// The dependency table of CONTRIBUTING.md against package.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import { tablesOf } from '#scripts/lib/markdown-tables.ts';

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'] as const;

test('[DC-8] every package has a row with a reason, and every row a package', () => {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly [kind in (typeof KINDS)[number]]: { readonly [name: string]: string };
  };
  const used = KINDS.flatMap((kind) => Object.keys(manifest[kind]));
  const text = readFileSync(join(packageRoot(), 'CONTRIBUTING.md'), 'utf8');
  const table = tablesOf(text).find(({ columns }) => columns[0] === 'package');
  // A row in bold is a heading.
  const rows = (table?.rows ?? []).filter((row) => !row['package']?.startsWith('**'));
  const listed = rows.map((row) => (row['package'] ?? '').replaceAll('`', ''));
  expect(listed.toSorted()).toEqual(used.toSorted());
  expect(rows.filter((row) => (row['why'] ?? '').length < 4)).toEqual([]);
});
