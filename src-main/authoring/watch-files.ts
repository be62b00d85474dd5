// Watches the workflow files of this device. Editors save in many ways (in place, by renaming, in
// several steps), so it is the folder that is watched, and a file is read once it has settled.
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

const SETTLE_MS = 200;

export interface FileWatch {
  add(path: string): void;
  close(): void;
}

export function watchFiles(onChange: (path: string) => void): FileWatch {
  const folders = new Map<string, { readonly watcher: FSWatcher; readonly names: Set<string> }>();
  const settling = new Map<string, NodeJS.Timeout>();

  function changed(path: string): void {
    clearTimeout(settling.get(path));
    settling.set(
      path,
      setTimeout(() => {
        settling.delete(path);
        onChange(path);
      }, SETTLE_MS),
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
          if (name !== null && names.has(name)) changed(`${folder}/${name}`);
        });
        // A folder that went away: its workflows run on as they are.
        watcher.on('error', () => watcher.close());
        folders.set(folder, { watcher, names });
      } catch {
        // The same, from the start.
      }
    },
    close: () => {
      for (const { watcher } of folders.values()) watcher.close();
      for (const timer of settling.values()) clearTimeout(timer);
    },
  };
}
