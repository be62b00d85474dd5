// Where a person's data lies when nobody says otherwise.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export function chooseDataDir(chosen: string | undefined): string {
  // A variable that is empty says nothing: resolved, it would be wherever one happens to stand.
  return resolve(chosen ?? (process.env['HOLDFAST_DATA'] || platformDataDir()));
}

function platformDataDir(): string {
  const { env, platform } = process;
  if (platform === 'win32') {
    return join(env['APPDATA'] || join(homedir(), 'AppData', 'Roaming'), 'Holdfast');
  }
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Holdfast');
  // Its specification: what is empty or relative does not count.
  const dataHome = env['XDG_DATA_HOME'] ?? '';
  const shared = isAbsolute(dataHome) ? dataHome : join(homedir(), '.local', 'share');
  return join(shared, 'holdfast');
}
