// Watches the workflow files of this device. Editors save in place, by rename or in several steps, so
// the folder is watched and changes are debounced.
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

const DEBOUNCE_MS = 200;

export interface FileWatch {
  add(path: string): void;
  close(): void;
}

export function watchFiles(onChange: (path: string) => void): FileWatch {
  const folders = new Map<string, { readonly watcher: FSWatcher; readonly names: Set<string> }>();
  const timers = new Map<string, NodeJS.Timeout>();

  function scheduleChange(path: string): void {
    clearTimeout(timers.get(path));
    timers.set(
      path,
      setTimeout(() => {
        timers.delete(path);
        onChange(path);
      }, DEBOUNCE_MS),
    );
  }

  return {
    add: (path) => {
      const folder = dirname(path);
      const known = folders.get(folder);
      if (known) {
        known.names.add(basename(path));
        return;
      }
      const names = new Set([basename(path)]);
      try {
        const watcher = watch(folder, { persistent: false }, (_event, name) => {
          if (name !== null && names.has(name)) scheduleChange(`${folder}/${name}`);
        });
        // The folder was removed; its workflows keep running.
        watcher.on('error', () => watcher.close());
        folders.set(folder, { watcher, names });
      } catch {
        // The folder does not exist; its workflows keep running.
      }
    },
    close: () => {
      for (const { watcher } of folders.values()) watcher.close();
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
