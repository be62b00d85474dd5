// Quits the app when `npm start` ends or is killed. scripts/lib/processes.mjs sets the variable and
// does the same for `holdfast serve`. An installed app has no such parent.

const PARENT_PID = 'HOLDFAST_PARENT_PID';
const CHECK_MS = 1000;

export function endWithParent(quit: () => void): void {
  const parent = Number(process.env[PARENT_PID]);
  // Grandchildren have another parent.
  delete process.env[PARENT_PID];
  if (!(parent > 0)) return;
  const timer = setInterval(() => {
    if (isAlive(parent)) return;
    clearInterval(timer);
    quit();
  }, CHECK_MS);
  timer.unref();
}

function isAlive(parent: number): boolean {
  if (process.platform !== 'win32') return process.ppid === parent;
  // Windows does not assign a new parent to an orphan.
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
}
