// Mutants of databases that went back: the marks, asking the peers, holding the lanes meanwhile, and the
// schema fingerprint of two devices that sync.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const SHARED = ['test/shared/start-check.test.ts'];
const GATE = ['test/engine/start-gate.test.ts'];
const HOSTS = ['test/host/went-back.test.ts'];
const SESSION = ['test/sync/session/session.test.ts'];
const IDENTITY = ['test/sync/link/identity.test.ts', 'test/host/machine-id.test.ts'];

export const ROLLBACK_MUTANTS: readonly Mutant[] = [
  ...inFile('src-shared/start-check.ts', SHARED, [
    [
      'work of a database that went back runs without a person',
      "reason === 'went_back' ? 'ask_person' : 'run'",
      "'run'",
    ],
    [
      'any answer of a peer counts as complete',
      'peer.hasAnswered && peer.hadEverything',
      'peer.hasAnswered',
    ],
    [
      'a peer that had everything counts before its rows are merged',
      'peer.hasAnswered && peer.hadEverything',
      'peer.hadEverything',
    ],
    ['a silent peer is waited for one moment too long', 'now < until)', 'now <= until)'],
    ['a person can not end the wait', '!isSkipped && now', 'now'],
    [
      'a peer that keeps sending is waited for without end',
      'since + MAX_QUIETS * quiet',
      'Infinity',
    ],
    [
      'one answer ends the wait for all peers',
      'waiting = peers.filter(',
      'waiting = peers.slice(0, 1).filter(',
    ],
  ]),
  ...inFile('src-main/engine/start-gate.ts', GATE, [
    ['lanes continue when a peer knows more', '    engine.hold();\n', ''],
    [
      'a restart forgets that a peer knows more',
      'markPeerKnowsMore(stores.settings, this.#now)',
      'undefined',
    ],
    [
      'a cut session counts as an answer',
      "state.name === 'live' ||",
      "state.name === 'live' || state.name === 'ended' ||",
    ],
    ['a person is made to wait again', 'this.#ignored.add(id)', 'this.#ignored.delete(id)'],
  ]),
  ...inFile('src-main/engine/start-gate.ts', HOSTS, [
    ['an unclean stop asks nobody', "return wasUnclean ? 'unclean_stop' : null;", 'return null;'],
    ['a database that went back asks nobody', "return 'went_back';", 'return null;'],
    [
      'the workflows run although nobody knows what is missing',
      "if (decision === 'ask_person') holdAsRestored(engine.context);\n      else ",
      '',
    ],
  ]),
  ...inFile('src-main/engine/lane/lane.ts', GATE, [
    [
      'a run that was preparing sends its effect although the lane is held',
      "if (this.#isHeld()) return 'Waiting for your other devices before the effect.';",
      '',
    ],
    [
      'a held lane begins runs',
      '!mustFinish(this.#state) && !this.#isHeld()',
      '!mustFinish(this.#state)',
    ],
  ]),
  ...inFile('src-main/data-folder/high-water-mark.ts', HOSTS, [
    ['only the mark in the folder counts', 'stateDir === null ? [inside] :', 'inside ? [inside] :'],
    ['the mark is written before the fsync', '    await db.fsync();\n', ''],
    ['every stop counts as clean', '    this.#isOpen = true;\n', ''],
    [
      'a command hides an unclean stop',
      'if (this.#lineages) this.#isOpen = false;',
      'this.#isOpen = false;',
    ],
    ['a torn mark counts as none', 'if (!existsSync(path)) return null;', 'return null;'],
    ['the mark follows its own commits', 'if (this.#isWriting || this.#isStopped) return;', ''],
  ]),
  ...inFile('src-main/data-folder/data-folder.ts', HOSTS, [
    [
      'an older database is taken for the present one',
      'generation < mark.generation',
      'generation < 0',
    ],
    [
      'an equal database is taken for an older one',
      'generation < mark.generation',
      'generation <= mark.generation',
    ],
    ['the device keeps its identity without peers', '(hasPeers ? null : wentBack)', 'null'],
    ['the device loses its identity with peers', '(hasPeers ? null : wentBack)', 'wentBack'],
  ]),
  ...inFile(
    'src-main/store/sqlite/migrate.ts',
    ['test/store/migrations.test.ts'],
    [['a backup made before a migration has no mark', '  markAsBackup(backup, at);\n', '']],
  ),
  ...inFile(
    'src-main/sync/session/session.ts',
    [...SESSION, ...GATE],
    [
      [
        'a peer that went back is not notified',
        'return { after, had };',
        'return { after, had: null };',
      ],
      ['a database that went back while open stays in its lineage', '    lineages.open();\n', ''],
    ],
  ),
  ...inFile('src-main/sync/session/greeting.ts', SESSION, [
    [
      'devices with another schema level do not sync',
      'message.fingerprint !== us.schemaFingerprint',
      'message.schema !== us.schemaVersion',
    ],
  ]),
  ...inFile('src-main/sync/device-identity.ts', IDENTITY, [
    [
      'a cloned disk keeps its identity',
      'return known.includes(place.machine);',
      'return known.length > 0;',
    ],
    [
      'a machine whose id can not be read loses its identity',
      '|| machineId === null) return isSameFile',
      ') return isSameFile && machineId !== null',
    ],
    [
      'the id of the machine is stored plainly',
      'sha256Hex(`${deviceId} ${machineId}`).slice(0, 32)',
      'machineId',
    ],
  ]),
  ...inFile(
    'src-main/store/sqlite/database.ts',
    ['test/host/symlinks.test.ts'],
    [
      [
        'the WAL beside a link is fsynced',
        'existsSync(path) ? realpathSync(path) : path',
        'existsSync(path) ? path : path',
      ],
    ],
  ),
  ...inFile(
    'src-main/store/sqlite/connection.ts',
    ['test/host/symlinks.test.ts'],
    [
      [
        'checkpoints leave data in the disk cache',
        "sqlite.pragma('checkpoint_fullfsync = ON');",
        '',
      ],
    ],
  ),
];
