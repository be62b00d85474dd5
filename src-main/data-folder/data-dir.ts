// Chooses the data folder: `--data`, HOLDFAST_DATA, or the platform's app data folder.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export function chooseDataDir(chosen: string | undefined): string {
  // An empty variable counts as unset; resolve('') would be the working directory.
  return resolve(chosen ?? (process.env['HOLDFAST_DATA'] || platformDataDir()));
}

function platformDataDir(): string {
  const { env, platform } = process;
  if (platform === 'win32') {
    return join(env['APPDATA'] || join(homedir(), 'AppData', 'Roaming'), 'Holdfast');
  }
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Holdfast');
  // The XDG specification ignores empty and relative values.
  const dataHome = env['XDG_DATA_HOME'] ?? '';
  const shared = isAbsolute(dataHome) ? dataHome : join(homedir(), '.local', 'share');
  return join(shared, 'holdfast');
}
