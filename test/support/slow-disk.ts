// A disk that has what was written when it is told to, not before.
import type { SyncFile } from '#main/store/disk-sync.ts';

export interface SlowDisk {
  readonly syncFile: SyncFile;
  begun(): number;
  finish(error?: Error): void;
}

export function createSlowDisk(): SlowDisk {
  const waiting: ((error: Error | null) => void)[] = [];
  let begun = 0;
  return {
    syncFile: (done) => {
      begun += 1;
      waiting.push(done);
    },
    begun: () => begun,
    finish: (error) => waiting.shift()?.(error ?? null),
  };
}
