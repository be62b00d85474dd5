// Installs OpenWorkflow on first use, into a package of its own below bench/.
import { existsSync } from 'node:fs';
import { capture, lastLines, sayOnStderr } from '#scripts/lib/processes.mjs';
import { inRepo } from '#scripts/lib/paths.mjs';

const folder = inRepo('bench', 'openworkflow');

/** Null, or the reason why it could not be installed. */
export async function installOpenWorkflow(): Promise<string | null> {
  if (existsSync(inRepo('bench', 'openworkflow', 'node_modules', 'openworkflow'))) return null;
  sayOnStderr('installing OpenWorkflow, for the comparison');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const outcome = await capture(npm, args, { cwd: folder, timeoutMs: 120_000 });
  return outcome.ok ? null : `npm ci: ${outcome.ending}. ${lastLines(outcome.output, 3)}`;
}
