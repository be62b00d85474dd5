// An fsync that completes when the test calls `finish`.
import type { FsyncFile } from '#main/store/sqlite/wal-fsync.ts';

export interface SlowDisk {
  readonly fsync: FsyncFile;
  begun(): number;
  finish(error?: Error): void;
}

export function createSlowDisk(): SlowDisk {
  const waiting: ((error: Error | null) => void)[] = [];
  let begun = 0;
  return {
    fsync: (done) => {
      begun += 1;
      waiting.push(done);
    },
    begun: () => begun,
    finish: (error) => waiting.shift()?.(error ?? null),
  };
}
