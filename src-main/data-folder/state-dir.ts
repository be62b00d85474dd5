// Chooses the folder for the second copy of the high-water mark: outside of the data folder, so that
// it stays where it is when the whole data folder is put back from a backup.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export function chooseStateDir(): string {
  return resolve(process.env['HOLDFAST_STATE'] || platformStateDir());
}

function platformStateDir(): string {
  const { env, platform } = process;
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local');
    return join(local, 'Holdfast', 'State');
  }
  if (platform === 'darwin') {
    return join(homedir(), 'Library', 'Application Support', 'Holdfast State');
  }
  // The XDG specification ignores empty and relative values.
  const stateHome = env['XDG_STATE_HOME'] ?? '';
  const shared = isAbsolute(stateHome) ? stateHome : join(homedir(), '.local', 'state');
  return join(shared, 'holdfast');
}
