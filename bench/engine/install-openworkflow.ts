// OpenWorkflow is fetched when it is first compared with, into a package of the bench alone.
import { existsSync } from 'node:fs';
import { capture, lastLines, sayOnStderr } from '#scripts/lib/processes.mjs';
import { inRepo } from '#scripts/lib/places.mjs';

const folder = inRepo('bench', 'openworkflow');

/** Null, or why there is nothing to compare with. */
export async function installOpenWorkflow(): Promise<string | null> {
  if (existsSync(inRepo('bench', 'openworkflow', 'node_modules', 'openworkflow'))) return null;
  sayOnStderr('fetching OpenWorkflow, to compare with');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const outcome = await capture(npm, args, { cwd: folder, timeoutMs: 120_000 });
  return outcome.ok ? null : `npm ci: ${outcome.ending}. ${lastLines(outcome.output, 3)}`;
}
