// Runs a script without a network (`network: 'none'` in the registry): in a network namespace of its
// own, which has no interface but a loopback that is down. It is made inside a user namespace, also for
// root, so that the script has no right to enter the host's network again.
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** `--map-current-user`: the script keeps its user id, and the rights of that user over files. */
const FLAGS = ['--map-current-user', '--net', '--'];

const PROBE_TIMEOUT_MS = 10_000;

export interface NetworkIsolation {
  /** Why this system can't enforce it; null if it can. Tries it each time. */
  check(): Promise<string | null>;
  /** The command that runs another one without a network. */
  wrap(executable: string, argv: readonly string[]): { executable: string; argv: string[] };
}

export function createNetworkIsolation(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
): NetworkIsolation {
  const program = platform === 'linux' ? findUnshare(env['PATH'] ?? '') : null;
  return {
    async check() {
      if (platform !== 'linux') return 'only Linux can do that';
      if (program === null) return 'the program "unshare" is not installed';
      try {
        await promisify(execFile)(program, [...FLAGS, '/bin/true'], { timeout: PROBE_TIMEOUT_MS });
        return null;
      } catch (error) {
        const { stderr = '' } = error as { stderr?: string };
        return `a network namespace could not be created (${stderr.trim() || 'unknown reason'})`;
      }
    },
    wrap: (executable, argv) => ({
      executable: program ?? 'unshare',
      argv: [...FLAGS, executable, ...argv],
    }),
  };
}

/** The sentence for a script that can't run because of this. */
export function notEnforceable(title: string, why: string): string {
  return `"${title}" must run without a network ("network": "none"), which can't be enforced on this system: ${why}. It was not started. Run it on another device, or allow the network in the registry.`;
}

function findUnshare(path: string): string | null {
  const folders = [...path.split(delimiter), '/usr/bin', '/bin'].filter((one) => one !== '');
  const found = folders.map((folder) => join(folder, 'unshare')).find(isExecutable);
  return found ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
