// Where a person's data lies when nobody says otherwise.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export function chooseDataDir(chosen: string | undefined): string {
  return resolve(chosen ?? process.env['HOLDFAST_DATA'] ?? platformDataDir());
}

function platformDataDir(): string {
  const { env, platform } = process;
  if (platform === 'win32') {
    return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Holdfast');
  }
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Holdfast');
  return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'holdfast');
}
