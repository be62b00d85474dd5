// The tests that run in `npm run test:slow` instead of `npm test`: they need a browser, Electron, a mail
// server, a compiler or network namespaces, kill real hosts, try many seeds, or wait for real time. This
// is the only list of them.

import fs from 'node:fs';

import { repoRoot } from './paths.mjs';

export const BROWSER_AND_ELECTRON = 'test/e2e/**/*.test.ts';

export const OTHER_SLOW = [
  'test/api/contract-fuzz.test.ts',
  'test/authoring/watch-files.test.ts',
  'test/blackbox/**/*.test.ts',
  'test/cli/devices.test.ts',
  'test/crash/**/*.test.ts',
  'test/deploy/**/*.test.ts',
  'test/docs/docs.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/inputs/load.test.ts',
  'test/isolation/hostile-rows.test.ts',
  'test/netns/**/*.test.ts',
  'test/package/{deb,desktop-package,npm-package}.test.ts',
  'test/property/**/*.test.ts',
  'test/runner/stress.test.ts',
  'test/sandbox/long-code.test.ts',
  'test/scripts/{npm-start,report-shape,setup-crsqlite}.test.ts',
  'test/simulation/seeds-*.test.ts',
  'test/store/{concurrency,crsqlite-builds,sqlite3-program}.test.ts',
  'test/sync/changes/fuzz.test.ts',
  'test/sync/link/network.test.ts',
  'test/sync/processes.test.ts',
  'test/sync/session/convergence.test.ts',
  'test/tools/mail/mailbox.test.ts',
];

/** @param {string[]} filters parts of file names, as vitest takes them on its command line */
export function matchesSlowTest(filters) {
  const files = fs.globSync([BROWSER_AND_ELECTRON, ...OTHER_SLOW], { cwd: repoRoot });
  return files.some((file) => filters.some((filter) => file.includes(filter)));
}
