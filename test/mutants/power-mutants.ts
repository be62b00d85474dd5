// Mutants of durability: each is noticed only when the power is cut or the disk fails.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const DATABASE = 'src-main/store/sqlite/database.ts';

export const POWER_MUTANTS: readonly Mutant[] = [
  ...inFile(
    DATABASE,
    ['test/store/wal-fsync.test.ts'],
    [
      [
        'after a failed fsync the WAL is not written again',
        'this.#withoutWriters(() => this.#wal.rewrite());',
        '',
      ],
      ['after a failed fsync SQLite may checkpoint', "this.pragma('wal_autocheckpoint = 0');", ''],
      [
        'checkpoints stay off after a failed fsync',
        'this.pragma(`wal_autocheckpoint = ${Number(this.#checkpointPages)}`);',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/store/sqlite/wal-fsync.ts',
    ['test/store/wal-fsync.test.ts'],
    [
      [
        'the WAL is written again at a wrong place',
        'writeSync(file, bytes, done, length - done, at + done)',
        'writeSync(file, bytes, done, length - done, done)',
      ],
      ['a failed fsync is not reported', 'this.#options.onFailure?.();', ''],
    ],
  ),
  ...inFile(
    'src-main/engine/decisions/decisions.ts',
    ['test/engine/resolve.test.ts'],
    [
      [
        'a decision that the disk refused waits for the next start',
        '      this.#retry(row.workflowId);\n',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/sync/session/sender.ts',
    ['test/crash/power-peer.test.ts'],
    [['a peer hears what is not on disk (real processes)', 'await this.#context.db.fsync();', '']],
  ),
];
