// Watches the workflow files of this device. Editors save in many ways (in place, by renaming, in
// several steps), so a file is reported only after it has not changed for a moment. chokidar also
// notices a file whose folder was removed and recreated, or did not exist at first.
import { statSync } from 'node:fs';
import { watch } from 'chokidar';

const DEBOUNCE_MS = 200;

export interface FileWatch {
  add(path: string): void;
  close(): void;
}

export function watchFiles(
  onChange: (path: string) => void,
  onError: (error: unknown) => void,
): FileWatch {
  const timers = new Map<string, NodeJS.Timeout>();
  const known = new Map<string, string>();
  const watcher = watch([], { persistent: false });

  /** The first scan reports every file; only one that changed since `add` counts. */
  function seen(path: string): void {
    const found = fingerprintOf(path);
    if (found === known.get(path)) return;
    known.set(path, found);
    clearTimeout(timers.get(path));
    timers.set(
      path,
      setTimeout(() => {
        timers.delete(path);
        onChange(path);
      }, DEBOUNCE_MS),
    );
  }

  watcher.on('add', seen).on('change', seen).on('unlink', seen).on('error', onError);
  return {
    add: (path) => {
      known.set(path, fingerprintOf(path));
      watcher.add(path);
    },
    close: () => {
      void watcher.close();
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

function fingerprintOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : 'missing';
}
