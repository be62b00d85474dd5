// Conditions of tests that cannot run everywhere. The reason is in the title, where `npm run spec-coverage`
// reads it; a test that is skipped without one counts as missing.

/** For a title: ` (not run: REASON)`, or nothing if the test runs. */
export function notRunIf(isMissing: boolean, reason: string): string {
  return isMissing ? ` (not run: ${reason})` : '';
}

export const isWindows = process.platform === 'win32';
export const onWindows = notRunIf(isWindows, 'not on Windows');
export const isLinux = process.platform === 'linux';
export const onlyOnLinux = notRunIf(!isLinux, 'only on Linux');
