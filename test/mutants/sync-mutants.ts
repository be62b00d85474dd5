// Mutants of sync: what a device accepts, sends, remembers of its peers, and whom it pairs with.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const CHANGES = ['test/sync/changes/changesets.test.ts'];
const REFUSALS = [
  'test/sync/changes/refusals.test.ts',
  'test/sync/changes/malformed-frames.test.ts',
];
const MERGED = ['test/sync/changes/merged-versions.test.ts'];
const SESSION = ['test/sync/session/session.test.ts'];
const PAIRING = ['test/shared/sync/pairing.test.ts'];
const FRAMES = ['test/shared/sync/frames.test.ts'];
const LINEAGES = ['test/store/lineages.test.ts'];
const FOLDER = ['test/sync/folder/folder-sync.test.ts'];

export const SYNC_MUTANTS: readonly Mutant[] = [
  ...inFile(
    'src-main/sync/changes/apply.ts',
    [...CHANGES, ...REFUSALS],
    [
      [
        'a gap between two frames is merged',
        'if (set.after > version) {',
        'if (set.after > Infinity) {',
      ],
      [
        'a frame that was merged before sets the cursor back',
        'if (set.upTo <= version) return { version, changes: 0 };',
        '',
      ],
      [
        'a part of a large transaction may be skipped',
        'if (set.part !== cursors.stagedParts(peer.id)) {',
        'if (set.part < 0) {',
      ],
      [
        'the parts of two transactions are merged as one',
        'if (decoded.upTo !== set.upTo) {',
        'if (decoded.upTo < 0) {',
      ],
      [
        'the parts of a transaction that was given up stay staged',
        'if (set.part === 0) cursors.dropStaged(peer.id);',
        '',
      ],
      [
        'merged parts stay staged',
        'changes;\n    cursors.dropStaged(peer.id);',
        'changes;\n    cursors.staged(peer.id, 0);',
      ],
      [
        'parts are merged as they arrive',
        '    cursors.stage(peer.id, set.part, frame);\n',
        '    cursors.stage(peer.id, set.part, frame);\n    if (set.part > 0) merge(context, peer, version, [decodeChangeSet(frame, schema).changes]);\n',
      ],
      [
        'the cursor is written before the rows',
        '  try {\n    return db.write(() => {',
        '  try {\n    cursors.set(peer.id, { lineage: peer.lineage, version: upTo });\n    return db.write(() => {',
      ],
      [
        'merged versions are not recorded as those of the peer',
        'cursors.recordMerged(peer.id, before + 1);',
        '',
      ],
      [
        'the version before a merge is recorded as one of the peer',
        'cursors.recordMerged(peer.id, before + 1);',
        'cursors.recordMerged(peer.id, before);',
      ],
      [
        'a merge raises the version as high as the peer says',
        'VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)',
        'VALUES (?, ?, ?, ?, ?, 1000000, ?, ?, ?)',
      ],
      [
        'the changes of each part are numbered from 0',
        'toBigInt(from + index)',
        'toBigInt(index + from * 0)',
        'Changes with one number are sent together, and a merge does not depend on their order.',
      ],
      [
        'merged rows are not in the change feed',
        'if (feed && change.rowId !== null) db.changes.record(feed, change.rowId);',
        'void feed;',
      ],
      [
        'a full disk counts as a fault of the peer',
        'if (cause instanceof Refused || isDiskFull(cause) || isBusy(cause)) throw cause;',
        'if (cause instanceof Refused || isBusy(cause)) throw cause;',
      ],
    ],
  ),
  ...inFile('src-main/sync/changes/decode.ts', REFUSALS, [
    [
      'a range that ends before it begins is merged',
      'if (upTo < after || last > 1)',
      'if (last > 1)',
    ],
    [
      'bytes after the end of a frame are ignored',
      "if (!reader.isAtEnd) throw malformed('bytes after the end');",
      '',
    ],
    [
      'unused bytes in a frame are ignored',
      "if (!rows.isAtEnd || !texts.isAtEnd) throw malformed('unused bytes');",
      '',
    ],
    [
      'a frame over the limit is unpacked',
      'if (bytes.length > SYNC_MAX_FRAME_BYTES) throw tooLarge();',
      '',
    ],
    ['a small frame may unpack to any size', '{ maxOutputLength: SYNC_MAX_FRAME_BYTES }', '{}'],
    [
      'a site id may have any length',
      'if (site.length === SITE_BYTES) return site;',
      'if (site) return site;',
    ],
    ['a column version may have any height', 'columnVersion <= SYNC_MAX_COLUMN_VERSION &&', ''],
    ['a causal length may have any height', 'causalLength <= SYNC_MAX_CAUSAL_LENGTH;', 'true;'],
    ['a causal length may be zero', 'causalLength >= 1 &&', ''],
    [
      'a deleted row may have columns',
      'column === null ? columnVersion === causalLength : causalLength % 2 === 1;',
      'column !== null || columnVersion === causalLength;',
    ],
    [
      'the clock of a row need not fit its causal length',
      'column === null ? columnVersion === causalLength : causalLength % 2 === 1;',
      'column === null || causalLength % 2 === 1;',
    ],
    [
      'a peer may delete a row that is never deleted',
      '(table.isPermanent && causalLength !== 1) || isReinserted',
      'isReinserted',
    ],
    [
      'a peer may bring back an archived row',
      '(table.isPermanent && causalLength !== 1) || isReinserted',
      'table.isPermanent && causalLength !== 1',
    ],
    [
      'a change may use the key of a row of another table',
      "if (row?.table !== table) throw malformed('a change without a key');",
      "if (!row) throw malformed('a change without a key');",
    ],
    ['keys are not checked', 'rowId: checkPackedKey(key, table.name, table.key)', 'rowId: null'],
    ['values are not checked', 'checkValue(table, column, value);', 'value === value;'],
    [
      'texts may split a character',
      'if (isLowSurrogate(this.#text.charCodeAt(end)))',
      'if (end < 0)',
    ],
    [
      'texts need not be UTF-8',
      "if (!isUtf8(bytes)) throw malformed('texts that are not UTF-8');",
      '',
    ],
    [
      'a text may be longer than the texts that came',
      "if (end > this.#text.length) throw malformed('truncated texts');",
      '',
      'The frame is refused at its end, because its texts were not used up exactly.',
    ],
    ['an unknown table is skipped', 'if (table) return table;', 'return table as SyncTable;'],
    [
      'names from a peer are shown as they came',
      "return name.slice(0, 60).replaceAll(/[^\\w.-]/g, '?');",
      'return name;',
    ],
  ]),
  ...inFile('src-main/sync/changes/check-value.ts', REFUSALS, [
    [
      'a row may have a value of its own',
      'if (value !== null) throw bad(table, null,',
      'if (!table) throw bad(table, null,',
    ],
    ['a required column may be null', 'if (!column.isNullable) throw', 'if (!column) throw'],
    [
      'a value may have another storage type',
      'if (storageTypeOf(value) !== column.type) throw',
      'if (!column.type) throw',
    ],
    ['a value may have any size', 'if (size > SYNC_MAX_VALUE_BYTES)', 'if (size > Infinity)'],
    [
      'a value may be NaN',
      "if (typeof value === 'number' && Number.isNaN(value)) throw bad(table, column, 'NaN');",
      '',
      'No synced table has a column of the type REAL, so the check of the type refuses it first.',
    ],
    ['JSON is not checked', 'if (column.isJson) return hasShape(table, column, value);', ''],
    ['a text may contain NUL', "if (value.includes('\\0'))", 'if (!value.length)'],
    ['a number may lose digits', 'if (changesNumbers(text)) throw bad', 'if (!text) throw bad'],
    [
      'JSON may be nested at any depth',
      'if (isDeeper(text, SYNC_MAX_JSON_DEPTH)) {',
      'if (!text) {',
    ],
  ]),
  ...inFile('src-main/sync/changes/packed-key.ts', REFUSALS, [
    [
      'a key may have parts that its table has not',
      'if (bytes[0] !== types.length) throw',
      'if (!bytes.length) throw',
    ],
    [
      'a part of a key may have another type',
      'if ((head & 7) !== PACKED_TYPE[type]) throw',
      'if ((head & 7) === 0) throw',
    ],
    [
      'a number in a key may be cut',
      'if (width > 8 || at + width > bytes.length) throw',
      'if (width > 8) throw',
      'In every key a text follows the number, and it is missing then.',
    ],
    [
      'a number in a key may have leading zeros',
      "if (width > 0 && bytes[at] === 0) throw bad(table, 'a number that is not canonical');",
      '',
    ],
    [
      'a length in a key may have leading zeros',
      "if (width > 0 && bytes[at] === 0) throw bad(table, 'a length that is not canonical');",
      '',
    ],
    [
      'a text in a key may have any length',
      'if (length > SYNC_MAX_KEY_BYTES) throw',
      'if (length < 0) throw',
    ],
    [
      'a text in a key may be cut',
      "if (at + length > bytes.length) throw bad(table, 'a truncated text');",
      '',
      'The position is then beyond the end of the key, which is refused.',
    ],
    [
      'a text in a key may contain NUL',
      "if (!isText || text.includes('\\0')) throw",
      'if (!isText) throw',
    ],
    [
      'a text in a key need not be UTF-8',
      "if (!isText || text.includes('\\0')) throw",
      "if (text.includes('\\0')) throw",
    ],
    [
      'bytes after a key are ignored',
      "if (at !== bytes.length) throw bad(table, 'bytes after its last part');",
      '',
    ],
  ]),
  ...inFile('src-main/sync/changes/byte-reader.ts', REFUSALS, [
    [
      'a count may exceed the numbers of JavaScript',
      "if (value > Number.MAX_SAFE_INTEGER) throw malformed('a number out of range');",
      '',
    ],
    [
      'bytes may be read beyond the end',
      '    if (end > this.#bytes.length) throw truncated();\n',
      '',
    ],
    [
      'a list may have more items than bytes',
      'if (value > this.#bytes.length) throw truncated();',
      '',
      'Reading an item that is not there is refused as well.',
    ],
  ]),
  ...inFile(
    'src-main/sync/changes/change-reader.ts',
    [...MERGED, ...CHANGES, ...SESSION],
    [
      [
        'a frame splits the rows of one step',
        'if (row[5] !== last[5] || row[8] !== last[8]) {',
        'if (last) {',
      ],
      [
        'a frame ends inside a transaction',
        'return rows.filter((row) => row[5] !== next);',
        'return next === undefined ? [] : rows.slice(0, -1);',
      ],
      [
        'local writes among merged versions are not sent',
        '? this.#read(OURS_IN_RANGE, after, to, this.#site)',
        '? { rows: [], isAll: true }',
      ],
      [
        'the rest of a merged transaction is sent back to its device',
        'const found = this.#segment(version).isSkipped',
        'const found = version < 0',
      ],
      [
        'the first merged version is sent back to its device',
        'return { to: range.from - 1, isSkipped: false };',
        'return { to: range.from, isSkipped: false };',
      ],
      [
        'versions after merged ones are skipped',
        'return { to: Math.min(to, range.to), isSkipped: true };',
        'return { to, isSkipped: true };',
      ],
      [
        'a frame may have any size',
        'if (rows.length >= this.#maxChanges || bytes >= SYNC_FRAME_BYTES) {',
        'if (rows.length >= this.#maxChanges) {',
      ],

      ['the parts of a transaction have one number', 'part: part + 1 };', 'part: part };'],
    ],
  ),
  ...inFile(
    'src-main/store/tables/peer-cursors.ts',
    [...MERGED, ...SESSION, ...LINEAGES],
    [
      [
        'versions that the peer has only in part are forgotten',
        'WHERE peer_id = ? AND to_version <= ?',
        'WHERE peer_id = ? AND from_version <= ?',
      ],
      [
        'the changes of one peer are not sent to another',
        'WHERE peer_id = ? AND to_version >= ? ORDER BY',
        'WHERE ? IS NOT NULL AND to_version >= ? ORDER BY',
      ],
      [
        'a device that lost changes does not get its own back',
        "this.db.run('DELETE FROM merged_versions WHERE peer_id = ?', peerId);",
        '',
      ],
      [
        'the staged parts of all peers are dropped',
        "'DELETE FROM staged_changes WHERE peer_id = ?'",
        "'DELETE FROM staged_changes WHERE ? IS NOT NULL'",
      ],
      [
        'changes that came from the peer count as lacking',
        'AND (site_id = 0 OR NOT EXISTS (',
        'AND (true OR NOT EXISTS (',
      ],
      [
        'local changes among merged ones do not count as lacking',
        'AND (site_id = 0 OR NOT EXISTS (',
        'AND (false OR NOT EXISTS (',
      ],
      [
        'the lineage of a cursor is never changed',
        'DO UPDATE SET lineage = excluded.lineage,',
        'DO UPDATE SET',
      ],
    ],
  ),
  ...inFile('src-main/sync/session/greeting.ts', SESSION, [
    [
      'a device may claim an identity that its key does not prove',
      'if (message.device !== peerId) {',
      'if (!message.device) {',
    ],
    [
      'a copy of this database may sync',
      'message.device === us.deviceId || message.site === us.site',
      'message.device === us.deviceId',
    ],
    [
      'a device with the id of this one may sync',
      'message.device === us.deviceId || message.site === us.site',
      'message.site === us.site',
    ],
    [
      'a device of another space may sync',
      'if (message.space !== us.spaceId) {',
      'if (!message.space) {',
    ],
    ['devices of two versions sync', 'message.fingerprint !== us.schemaFingerprint', 'false'],
    [
      'the newer side is asked to update',
      "const who = theirs > ours ? 'us' : 'peer';",
      "const who = theirs < ours ? 'us' : 'peer';",
    ],
    [
      'a session may begin without a hello',
      "if (message.type !== 'hello') {",
      'if (!message.type) {',
    ],
  ]),
  ...inFile('src-main/sync/session/session.ts', SESSION, [
    ['a full disk ends a session without its name', 'if (isDiskFull(error)) {', 'if (!error) {'],
    [
      'a second hello is ignored',
      'if (this.#hello) throw outOfOrder(note.type);',
      'if (this.#hello) return;',
    ],
    ['changes are merged before the hello', "if (!this.#hello) throw outOfOrder('changes');\n", ''],
    [
      'a second request for changes starts over',
      "if (this.#sender) throw outOfOrder('want');",
      '',
      'Announcing the changes a second time is out of order as well.',
    ],
    [
      'a clock that is behind is not reported',
      'if (Math.abs(skewMs) > SYNC_MAX_SKEW_MS) {',
      'if (skewMs > SYNC_MAX_SKEW_MS) {',
    ],
    ['parts that a former session staged stay', '    peerCursors.dropStaged(peerId);\n', ''],
    [
      'a peer that lost changes is not noticed',
      'if (!rewound) return { after, had: null };',
      'if (!rewound || after >= 0) return { after, had: null };',
    ],
    [
      'a peer that owes nothing times out',
      'if (overdueSince === null || overdueSince + SYNC_ANSWER_MS > clock.now()) {',
      'if (overdueSince !== null && overdueSince + SYNC_ANSWER_MS > clock.now()) {',
    ],
    [
      'a peer that owes an answer never times out',
      'if (overdueSince === null || overdueSince + SYNC_ANSWER_MS > clock.now()) {',
      'if (overdueSince === null || overdueSince > 0) {',
    ],
    [
      'a frame of an unknown kind is ignored',
      "throw new Refused('malformed-frame', 'The other device sent a frame of an unknown kind.');",
      'return;',
    ],
    [
      'frames after the end are merged',
      '    if (this.#isOver) return;\n    this.#receivedAt',
      '    this.#receivedAt',
    ],
    ['an ended session still listens to commits', '    this.#stopListening?.();\n', ''],
    [
      'the peer gets no confirmation',
      "this.#send({ type: 'ack', version: merged.version })",
      'undefined',
    ],
    ['a merge is confirmed before it is on disk', '    db.fsync()\n', '    Promise.resolve()\n'],
  ]),
  ...inFile('src-main/sync/session/sender.ts', SESSION, [
    [
      'a peer may ask for changes after a version that never was',
      'if (after > lineages.version()) {',
      'if (after < 0) {',
    ],
    [
      'a frame that was never sent can be confirmed',
      'if (this.#unconfirmed === 0) {\n      throw',
      'if (this.#unconfirmed < -1) {\n      throw',
    ],
    [
      'the number of unconfirmed frames has no limit',
      'this.#unconfirmed >= SYNC_WINDOW_FRAMES',
      'this.#unconfirmed >= Infinity',
    ],
    [
      'a commit during the last send is missed',
      'if (!this.#isStopped && this.#newest > this.#onDisk) await this.#sendAll();',
      '',
    ],
    [
      'changes are sent before they are on disk',
      'await this.#context.db.fsync();',
      'await Promise.resolve();',
    ],
    [
      'the cursor stays before changes that the peer made itself',
      'if (this.#reader.skipped > 0) await this.#send(this.#reader.emptyAdvance());',
      '',
    ],
    ['each commit is sent alone', 'clock.now() + SYNC_PUSH_WINDOW_MS', 'clock.now()'],
    [
      'a stopped sender goes on',
      '    this.#isStopped = true;\n',
      '',
      'Its next send fails, because the link has ended.',
    ],
    [
      'a sender begins again at the start',
      '      db: context.db,\n      after,',
      '      db: context.db,\n      after: 0,',
    ],
  ]),
  ...inFile('src-main/sync/session/control-messages.ts', SESSION, [
    [
      'a control message may have any size',
      'if (frame.length > SYNC_MAX_CONTROL_BYTES) throw unreadable();',
      '',
    ],
    [
      'a hello of another protocol is unreadable',
      'if (hello.success && hello.data.protocol !== PROTOCOL_VERSION) {',
      'if (hello.success && hello.data.protocol < 0) {',
    ],
    [
      'a device may have any number of lineages',
      '    .max(SYNC_MAX_LINEAGES),\n  now: version,',
      '    .max(100_000),\n  now: version,',
    ],
  ]),
  ...inFile('src-shared/sync/lineage.ts', LINEAGES, [
    [
      'a cursor of an unknown lineage stays valid',
      'if (!known) return { after: 0, rewound: true };',
      'if (!known) return { after: cursor.version, rewound: false };',
    ],
    [
      'the newest lineage may not grow',
      'if (known !== lineages[0] && cursor.version > known.end)',
      'if (cursor.version > known.end)',
    ],
    [
      'versions that a device lost are not sent again',
      'return { after: known.end, rewound: true };',
      'return { after: cursor.version, rewound: true };',
    ],
  ]),
  ...inFile(
    'src-shared/sync/session.ts',
    ['test/shared/sync/session.test.ts'],
    [
      [
        'a session is live when one side has caught up',
        'if (!incoming?.isCaughtUp || !outgoing?.isCaughtUp) return state;',
        'if (!incoming?.isCaughtUp && !outgoing?.isCaughtUp) return state;',
      ],
      ['a direction may begin twice', 'if (state[event.direction]) return null;', ''],
      [
        'a direction may catch up twice',
        'if (!progress || progress.isCaughtUp) return null;',
        'if (!progress) return null;',
      ],
      [
        'changes may move before they were announced',
        'if (!progress) return null;\n      const done',
        'if (!progress) return state;\n      const done',
      ],
    ],
  ),
  ...inFile('src-shared/sync/frames.ts', FRAMES, [
    [
      'a frame may be one byte over the limit',
      'else if (length - 1 > this.maxContent)',
      'else if (length - 2 > this.maxContent)',
    ],
    [
      'a claimed length allocates memory',
      'const wanted = Math.max(needed, this.#content.length * 2, FIRST_BUFFER_BYTES);',
      'const wanted = this.#length;',
    ],
    [
      'a frame without a kind is taken',
      "if (length === 0) this.#flaw = 'garbled';\n    else if",
      'if',
    ],
    [
      'a frame of an unknown kind is data',
      "if (kind === undefined) {\n      this.#flaw = 'garbled';\n      return;\n    }\n    this.#kind = kind;",
      "this.#kind = kind ?? 'data';",
    ],
    [
      'bytes after an error are read',
      '      this.#pending = [];\n      return this.#flaw;',
      '      this.#flaw = null;\n      return null;',
    ],
  ]),
  ...inFile(
    'src-shared/sync/link-tie-break.ts',
    [
      'test/sync/link/strangers.test.ts',
      'test/sync/link/identity.test.ts',
      'test/shared/sync/session.test.ts',
    ],
    [
      [
        'each of two devices that dial at once stays with its own link',
        'return isDialledByUs.incoming === ours < theirs;',
        'return isDialledByUs.incoming;',
      ],
    ],
  ),
  ...inFile('src-shared/sync/pairing/proofs.ts', PAIRING, [
    [
      'a proof is compared by its prefix',
      'let difference = one.length ^ other.length;',
      'let difference = 0;',
    ],
    [
      'a commitment can be sent back as an echo',
      "message('holdfast commitment 1', role, nonce,",
      "message('holdfast commitment 1', 'any', nonce,",
    ],
    [
      'the proof of a token is valid for other keys',
      "message('holdfast token proof 1', keys.joiner, keys.inviter)",
      "message('holdfast token proof 1')",
    ],
    [
      'a commitment is valid for other keys',
      'role, nonce, keys.joiner, keys.inviter)',
      'role, nonce)',
    ],
    [
      'the digits do not depend on the keys',
      "message('holdfast digits 1', keys.joiner, keys.inviter, nonces.joiner, nonces.inviter)",
      "message('holdfast digits 1', nonces.joiner, nonces.inviter)",
    ],
    [
      'an invitation is named by a part of its token',
      "bytesToHex(sha256(message('holdfast invitation 1', token))).slice(0, 32)",
      'token.slice(0, 32)',
    ],
  ]),
  ...inFile('src-shared/sync/pairing/invitations.ts', PAIRING, [
    [
      'an expired invitation is accepted',
      "if (now >= named.expiresAt) return { invitations: before, verdict: 'expired' };",
      '',
    ],
    [
      'an invitation is valid at the moment it expires',
      'if (now >= named.expiresAt)',
      'if (now > named.expiresAt)',
    ],
    [
      'an invitation works for a second device',
      'const isSame = named.usedBy === attempt.joinerId && now < named.expiresAt;',
      'const isSame = now < named.expiresAt;',
    ],
    [
      'a device may repeat its request forever',
      'const isSame = named.usedBy === attempt.joinerId && now < named.expiresAt;',
      'const isSame = named.usedBy === attempt.joinerId;',
    ],
    [
      'guessed invitations do not count',
      'invitations: before.map(countWrongTry), verdict',
      'invitations: before, verdict',
    ],
    [
      'wrong tokens have one try more',
      'if (wrongTries >= MAX_PAIRING_TRIES) return',
      'if (wrongTries > MAX_PAIRING_TRIES) return',
    ],
    [
      'a wrong proof is welcome',
      'if (!isSameText(attempt.proof, tokenProof(named.token, attempt.keys))) {',
      'if (!attempt.proof) {',
    ],
    [
      'an ended invitation is accepted',
      "if (named.status === 'ended') return { invitations: before, verdict: 'too-many-tries' };",
      '',
    ],
  ]),
  ...inFile('src-shared/sync/pairing/comparing.ts', PAIRING, [
    [
      'one confirmation is enough',
      'return isConfirmedHere && isConfirmedThere;',
      'return isConfirmedHere || isConfirmedThere;',
    ],
  ]),
  ...inFile('src-shared/sync/pairing/inviter.ts', PAIRING, [
    [
      'the nonce of the joiner need not fit its commitment',
      "if (!isSameText(commitment('joiner', message.nonce, visit.keys), theirs))",
      'if (!theirs)',
    ],
    [
      'clocks may differ at will',
      "if (Math.abs(theirs - now) > MAX_CLOCK_DIFFERENCE_MS) return 'clock-off';",
      '',
    ],
    [
      'a device that shares another space is paired',
      "if (space.id !== self.space.id && space.shared) return 'wrong-space';",
      '',
    ],
    [
      'two devices may compare at the same time',
      "return isComparing ? 'busy' : null;",
      'return null;',
    ],
    [
      'a device waits for a comparison forever',
      "if (waiting.is === 'not-waiting' || now >= waiting.until) return 'not-waiting';",
      "if (waiting.is === 'not-waiting') return 'not-waiting';",
    ],
    [
      'a device that does not wait compares',
      "if (waiting.is === 'not-waiting' || now >= waiting.until) return 'not-waiting';",
      "if (waiting.is === 'waiting' && now >= waiting.until) return 'not-waiting';",
    ],
    [
      'comparisons without a match have no limit',
      "return failed >= MAX_PAIRING_TRIES ? { is: 'too-many-tries' } : { ...waiting, failed };",
      'return { ...waiting, failed };',
    ],
    [
      'the space key is sent before both people confirmed',
      'if (!isMatch(state)) return { state, send };',
      '',
    ],
    [
      'a paired or failed visit goes on',
      "if (state.is === 'paired' || state.is === 'failed') return { state, send: [] };",
      '',
    ],
  ]),
  ...inFile('src-shared/sync/pairing/joiner.ts', PAIRING, [
    [
      'the nonce of the inviter need not fit its commitment',
      "if (!isSameText(commitment('inviter', message.nonce, keys), state.theirCommitment)) {",
      'if (!state.theirCommitment) {',
    ],
    [
      'the joiner is paired before its person confirmed',
      "message.type === 'welcome' && isMatch(state)) {",
      "message.type === 'welcome') {",
    ],
    [
      'the joiner reveals its nonce before the commitment',
      'send: [hello],',
      "send: how.by === 'link' ? [hello] : [hello, { type: 'reveal', nonce: how.nonce }],",
    ],
  ]),
  ...inFile('src-shared/sync/pairing/messages.ts', PAIRING, [
    [
      'a version that is too new is garbled',
      'version < OLDEST_PAIRING_VERSION || oldest > PAIRING_VERSION',
      'version < OLDEST_PAIRING_VERSION',
    ],
    [
      'a name of any length is taken',
      'z.string().trim().min(1).max(MAX_NAME_LENGTH);',
      'z.string();',
    ],
    ['a device may send any number of addresses', '.max(MAX_PEER_ADDRESSES);', ';'],
    [
      'the space key may be any text',
      'spaceId, spaceKey: hash }',
      'spaceId, spaceKey: z.string() }',
    ],
  ]),
  ...inFile('src-shared/sync/pairing/link.ts', PAIRING, [
    [
      'a field of a link may be given twice',
      'return found.length === 1 ?',
      'return found.length > 0 ?',
    ],
    [
      'a link may name any device',
      "if (deviceId === null || !DEVICE_ID.test(deviceId)) return 'bad-link';",
      "if (deviceId === null) return 'bad-link';",
    ],
    [
      'a link may have any token',
      "if (token === null || !TOKEN.test(token)) return 'bad-link';",
      "if (token === null) return 'bad-link';",
    ],
    [
      'a link may have any address',
      "if (!addresses.every((address) => parseAddress(address) !== null)) return 'bad-link';",
      '',
    ],
  ]),
  ...inFile('src-main/sync/folder/change-file.ts', FOLDER, [
    [
      'a piece of a file may be moved to another place',
      "`changes ${device} ${file.toString('hex')} ${index}`",
      '`changes ${device}`',
    ],
    [
      'a file may be moved to the folder of another device',
      'head.success && head.data.device === this.#device ? head.data : null',
      'head.success ? head.data : null',
      'Each piece is sealed for the device that wrote it, so a piece of another device never opens.',
    ],
    [
      'a file has its name before it is on disk',
      '    fsyncSync(this.#file);\n',
      '',
      'Only a power cut shows it. A file that a power cut damaged is reported and written again (FO-4).',
    ],
    ['a piece may have any length', ' || length > SYNC_MAX_FRAME_BYTES + SEALING_BYTES', ''],
  ]),
  ...inFile('src-main/sync/folder/seal.ts', FOLDER, [
    [
      'names in the folder can be guessed',
      "createHmac('sha256', this.#naming)",
      "createHmac('sha256', '')",
    ],
  ]),
  ...inFile('src-main/sync/folder/folder-sync.ts', FOLDER, [
    [
      'a device trusts the size of a file that another one reported as damaged',
      '(!reported.includes(file.file) || this.#isReadable(file));',
      'true;',
    ],
    [
      'a device writes every reported file again without looking at its own copy',
      '(!reported.includes(file.file) || this.#isReadable(file));',
      '!reported.includes(file.file);',
    ],
  ]),
];
