// The tables of docs/how-we-test.md against the tests and the testing kit.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import { tablesOf } from '#scripts/lib/markdown-tables.ts';

/** What code that replaces a part looks like, and how the shared replacements are made. */
const REPLACES = [
  /\bvi\.(fn|mock|spyOn|stubGlobal|useFakeTimers|doMock)\b/,
  /Object\.assign\([\w.]*[cC]ontext\b/,
  /CREATE TEMP TRIGGER/,
  /\bfsync: \(done\)/,
  /export (function|class|const) (create\w*Clock|clockOf|createOutside|createInlineSandbox|createSlowDisk|linkPair|FakeHost|RestartableHost)\b/,
  /(fakeKeychain|function keychain)\b/,
  // A method of a part is assigned; those are callbacks of the simulator, answers of listed fakes, and text in code.
  /^\s*(?!.*\b(?:steps\.push|onStop|onTimerError|service\.answer|outside\.unreached|toJSON|stringify) = )[\w.]*\w\.\w+ = \(?(?:async )?(?:<\w+>)?(?:\(|function\b)/m,
];

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

test('[DC-9] every file that replaces a part is listed with the part and the reason, and every listed file exists', () => {
  const rows = tablesOf(read('docs/how-we-test.md'))
    .filter(({ columns }) => columns[1] === 'replaces')
    .flatMap((table) => table.rows);
  const listed = rows.map((row) => (row['file'] ?? '').replaceAll('`', ''));
  expect(listed.filter((path) => !existsSync(join(packageRoot(), path)))).toEqual([]);
  expect(rows.filter((row) => !row['replaces'] || !row['why'])).toEqual([]);
  const replacing = ['test', 'src-main/testing']
    .flatMap((folder) =>
      readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && path !== 'test/docs/replaced-parts.test.ts')
    .filter((path) => REPLACES.some((pattern) => pattern.test(read(path))));
  expect(replacing.filter((path) => !listed.includes(path)).toSorted()).toEqual([]);
});
