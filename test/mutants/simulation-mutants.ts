// Mutants of the simulator: a check that overlooks a broken promise, or a fault that does no harm.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const FINDS = ['test/simulation/check-finds.test.ts'];
const DISK = ['test/simulation/simulated-disk.test.ts'];

export const SIMULATION_MUTANTS: readonly Mutant[] = [
  ...inFile('test/simulation/check.ts', FINDS, [
    [
      'what a device once knew is not compared',
      '...devices.flatMap((device) => forgottenOutcomes(device, truth)),',
      '',
    ],
    ['repeated effects are not counted', '...repeatedEffects(first, truth),', ''],
    ['lost events are not missed', '...lostEvents(first, truth),', ''],
    ['false outcomes are not compared', '...untrueOutcomes(first, truth),', ''],
    [
      'a workflow that paused by itself is not noticed',
      "status === 'paused' && !isByPerson(statusReason)",
      "status === 'paused' && !isByPerson(statusReason) && false",
    ],
    ['consumed events need no effect', '...missingEffects(first, truth),', ''],
  ]),
  ...inFile('test/simulation/ledger-memory.ts', FINDS, [
    [
      'an effect that is gone after a restart is not noticed',
      "for (const id of this.#applied) if (!ids.has(id)) this.#forgot(id, 'gone');",
      '',
    ],
    [
      'an effect that is unknown again is not noticed',
      "if (status !== 'applied' && this.#applied.has(id)) this.#forgot(id, status);",
      'void id;',
    ],
  ]),
  ...inFile('test/simulation/torn-files.ts', DISK, [
    ['a power cut takes nothing', 'if (!isKept(index)) wal.fill(0, at, next);', ''],
    [
      'a power cut takes what was fsynced',
      '[endOf(written, written.synced), endOf(written, written.frames)]',
      '[endOf(written, 0), endOf(written, written.frames)]',
    ],
  ]),
  ...inFile('test/simulation/simulated-disk.ts', DISK, [
    [
      'a commit that SQLite fsyncs itself can be lost',
      "if (db.pragma('synchronous') !== SYNCHRONOUS_FULL) return;",
      'return;',
    ],
  ]),
  ...inFile(
    'src-main/engine/start-gate.ts',
    ['test/simulation/simulator.test.ts'],
    [
      [
        'simulated devices that went back ask nobody',
        'if (reason) this.#ask(reason, this.#options.peers());',
        'if (reason) this.#release();',
      ],
    ],
  ),
  ...inFile('src-main/store/sqlite/wal-fsync.ts', DISK, [
    ['after a failed fsync nothing is written again', 'this.#options.recover?.();', ''],
  ]),
];
