// The id that the operating system gave this machine. It tells a cloned disk from its original, where
// inodes and times are the same.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A command of the system; it must not delay the start of the host for long. */
const COMMAND_DEADLINE_MS = 5000;

export interface MachineIdSources {
  readonly platform: NodeJS.Platform;
  readonly readText: (path: string) => string;
  readonly run: (command: string, args: readonly string[]) => string;
}

const SYSTEM: MachineIdSources = {
  platform: process.platform,
  readText: (path) => readFileSync(path, 'utf8'),
  run: (command, args) =>
    execFileSync(command, args, {
      encoding: 'utf8',
      timeout: COMMAND_DEADLINE_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    }),
};

/** Null where there is none, as in many containers. */
export function machineId(sources: MachineIdSources = SYSTEM): string | null {
  try {
    return read(sources);
  } catch {
    return null;
  }
}

function read({ platform, readText, run }: MachineIdSources): string | null {
  switch (platform) {
    case 'darwin': {
      const registry = run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
      return found(/"IOPlatformUUID"\s*=\s*"([^"]+)"/.exec(registry));
    }
    case 'win32': {
      const key = String.raw`HKLM\SOFTWARE\Microsoft\Cryptography`;
      // 64 bit: a 32-bit process would read another part of the registry.
      const value = run('reg', ['query', key, '/v', 'MachineGuid', '/reg:64']);
      return found(/MachineGuid\s+REG_SZ\s+(\S+)/.exec(value));
    }
    default: {
      // systemd writes "uninitialized" into images before their first boot.
      const id = readText('/etc/machine-id').trim();
      return id === '' || id === 'uninitialized' ? null : id;
    }
  }
}

function found(match: RegExpExecArray | null): string | null {
  return match?.[1] ?? null;
}
