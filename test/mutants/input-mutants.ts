// Mutants of inputs: signatures, duplicates, redaction, the outbox, leases and the ends of inputs
// (spec 004).
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const SIGNATURE = ['test/inputs/signature.test.ts'];
const DEDUP = ['test/inputs/dedup-key.test.ts'];
const INGRESS = ['test/inputs/ingress.test.ts'];
const LEFTOVERS = ['test/upkeep/retention-leftovers.test.ts'];
const RATE = ['test/inputs/rate-limit.test.ts'];
const ARTIFACTS = ['test/inputs/artifacts.test.ts'];
const OUTBOX = ['test/inputs/outbox.test.ts'];
const PIPELINE = ['test/inputs/pipeline.test.ts', 'test/inputs/transitions.test.ts'];
const TRANSITIONS = ['test/inputs/transitions.test.ts'];
const OWNERSHIP = ['test/inputs/ownership.test.ts'];
const MERGED = ['test/inputs/merged-inputs.test.ts'];
const DERIVE = ['test/inputs/derive-input-status.test.ts'];
const HONEST = ['test/inputs/honest-ends.test.ts'];
const SANITIZE = ['test/inputs/sanitize.test.ts'];
const REDACT = ['test/shared/inputs/redact.test.ts'];
const NORMALISE = ['test/shared/inputs/normalise.test.ts'];

export const INPUT_MUTANTS: readonly Mutant[] = [
  ...inFile('src-main/inputs/signature.ts', SIGNATURE, [
    [
      'a signature is compared by its first bytes',
      'return expected.length === given.length && timingSafeEqual(expected, given);',
      'return timingSafeEqual(expected.subarray(0, 8), given.subarray(0, 8));',
    ],
    [
      'a signed time at its tolerance is too old',
      'if (ageS > toleranceS) {',
      'if (ageS >= toleranceS) {',
    ],
    ['a signed time may be in the future', 'if (-ageS > toleranceS) {', 'if (ageS > Infinity) {'],
    [
      'the tolerance of a hook is ignored',
      'scheme.toleranceS ?? SIGNATURE_TOLERANCE_S',
      'SIGNATURE_TOLERANCE_S',
    ],
    ['signatures of other schemes count', "if (key === 'v1' &&", 'if ('],
    [
      'only the first of several signatures counts',
      'parsed.signatures.filter(',
      'parsed.signatures.slice(0, 1).filter(',
    ],
    ['a hook without a secret accepts requests', "if (secret === '') {", "if (secret === ' ') {"],
    [
      'the time is judged before the signature',
      '  if (matches.length === 0) return wrong();\n',
      '',
    ],
    ['a second signed time is ignored', 'another !== undefined ||', ''],
    [
      'a token that begins with the secret is accepted',
      'return isSameToken(given, secret) ?',
      'return given.startsWith(secret) ?',
    ],
    [
      'the signed time is not part of what is signed',
      'hmac(secret, `${parsed.time}.`, rawBody)',
      'hmac(secret, rawBody)',
    ],
  ]),
  ...inFile('src-main/inputs/hook-secrets.ts', INGRESS, [
    ['a replaced secret stays valid', 'now < hook.previousUntil', 'now > 0'],
    [
      'a secret that is replaced at once stays valid',
      'if (keepsOld && old !== null)',
      'if (old !== null)',
    ],
    [
      'a replaced secret is not accepted any more',
      'if (hook.previousUntil !== null && now < hook.previousUntil) names',
      'if (now < 0) names',
    ],
  ]),
  ...inFile('src-main/inputs/dedup-key.ts', DEDUP, [
    [
      'the number 1 and the text "1" are one id',
      'isSentAsNumber(rawBody, parts, value) ? value : JSON.stringify(value)',
      'String(value)',
    ],
    [
      'deliveries without the id are one input',
      "if (value === undefined || value === null || value === '' || typeof value === 'object') {",
      "if (typeof value === 'object' && value !== null) {",
    ],
    ['deliveries without the header are one input', "if (text === '') {", "if (text === ' ') {"],
    [
      'long ids with the same beginning are one id',
      '`#${sha256(text)}`',
      '`=${text.slice(0, MAX_DEDUP_KEY_LENGTH)}`',
    ],
    [
      'bodies of one length are one input',
      '`body:${sha256(delivery.rawBody)}`',
      '`body:${delivery.rawBody.length}`',
    ],
    [
      'a number with many digits is a text',
      "if (typeof value !== 'string' || !/^-?\\d/.test(value) || isExact(value)) return false;",
      'return false;',
    ],
  ]),
  ...inFile(
    'src-shared/ids.ts',
    [...INGRESS, ...TRANSITIONS, 'test/shared/ids.test.ts'],
    [
      [
        'two hooks share their keys',
        "hashId('trigger_event', workflow, trigger, dedupKey)",
        "hashId('trigger_event', workflow, dedupKey)",
      ],
      [
        'two workflows share the keys of inputs',
        "hashId('trigger_event', workflow, trigger, dedupKey)",
        "hashId('trigger_event', trigger, dedupKey)",
      ],
      [
        'all completions of a run have one id',
        "hashId('completion', run, cause)",
        "hashId('completion', run)",
      ],
    ],
  ),
  ...inFile('src-main/inputs/ingress.ts', INGRESS, [
    [
      'the rate limit is never applied',
      'if (taken.ok) return { ok: true, hook };',
      'if (taken) return { ok: true, hook };',
    ],
    [
      'the answer is sent before the input is on disk',
      'await commits.commitDurably(() =>',
      'await commits.commit(() =>',
    ],
    [
      'a replayed body is a new input',
      'if (first !== id) return replayed(first);',
      'void replayed;',
    ],
    [
      'a signed body is remembered only for bearer tokens',
      "auth.kind !== 'bearer'",
      "auth.kind === 'bearer'",
    ],
    [
      'a hook that was removed meanwhile accepts',
      'if (isNew && !hooks.count(hook.id)) throw new HookRemoved();',
      'if (isNew) hooks.count(hook.id);',
    ],
    ['secrets of workflows in a body are stored', 'masker.maskJson(body)', 'body'],
    [
      'only the newest secret is tried',
      'checks.find(({ ok }) => ok) ?? (checks[0] as SignatureCheck)',
      'checks[0] as SignatureCheck',
    ],
    [
      'the body is read before it is verified',
      'if (!verified.ok) return this.#refuseOrRetry(hook, delivery, verified);\n    const parsed = parseBody(delivery.rawBody);',
      'const parsed = parseBody(delivery.rawBody);\n    if (parsed.ok && !verified.ok) return this.#refuseOrRetry(hook, delivery, verified);',
    ],
    [
      'a duplicate is not marked',
      "...(isNew ? {} : { headers: { 'Holdfast-Duplicate': 'true' } }),",
      '',
    ],
    ['a body that is not UTF-8 is stored', '  if (!isUtf8(rawBody))\n', '  if (!rawBody.length)\n'],
    [
      'the numbers of a body lose digits',
      'const value = parseExactJson(text);',
      'const value = JSON.parse(text) as Json;',
    ],
    [
      'a body is not checked for what SQLite cannot store',
      'if (flaw === null) return { ok: true, value };',
      'if (flaw !== 0) return { ok: true, value };',
    ],
    [
      'a hook that was rotated meanwhile refuses',
      'const isRotated = hook.rotatedAt !== read.rotatedAt;',
      'const isRotated = false;',
    ],
    ['a refused webhook is not counted', '    this.#options.onAnswer(answer.status);\n', ''],
  ]),
  ...inFile('src-main/boundary/http-raw-body.ts', INGRESS, [
    [
      'a body may be one byte over the limit',
      'return bytes > maxBytes ? null',
      'return bytes > maxBytes + 1 ? null',
    ],
    [
      'a body over the limit is held in memory',
      'else chunks.length = 0;',
      'else chunks.push(chunk);',
      'It costs memory until the request ends, and no answer differs.',
    ],
  ]),
  ...inFile('src-main/inputs/rate-limit.ts', RATE, [
    [
      'a bucket grows beyond its burst',
      'Math.min(burst, known.tokens + elapsedS * perSecond)',
      'known.tokens + elapsedS * perSecond',
    ],
    [
      'a clock that was set back takes tokens',
      'Math.max(0, now - known.at) / 1000',
      '(now - known.at) / 1000',
    ],
    ['a part of a token is enough', 'if (bucket.tokens >= 1) {', 'if (bucket.tokens > 0) {'],
    ['the wait is too short', 'Math.max(1, Math.ceil(waitS))', 'Math.max(1, Math.floor(waitS))'],
    [
      'the memory of the limiter grows with the hooks',
      'if (oldest !== undefined) this.#buckets.delete(oldest);',
      'void oldest;',
    ],
    ['the hook that was used last is forgotten', '    this.#buckets.delete(hookId);\n', ''],
  ]),
  ...inFile('src-main/store/tables/hooks.ts', INGRESS, [
    [
      'the same bytes at two hooks are a replay',
      "'SELECT trigger_event_id FROM hook_proofs WHERE hook_id = ? AND proof = ?'",
      "'SELECT trigger_event_id FROM hook_proofs WHERE ? IS NOT NULL AND proof = ?'",
    ],

    [
      'a hook is created again by a repeated request',
      'ON CONFLICT (request_id) DO NOTHING',
      'ON CONFLICT (request_id) DO UPDATE SET id = excluded.id',
    ],
  ]),
  ...inFile('src-shared/inputs/replay-window.ts', LEFTOVERS, [
    [
      'a delivery signed in the future can be replayed',
      'now - 2 * (auth.toleranceS',
      'now - (auth.toleranceS',
    ],
    [
      'a delivery with the replaced secret can be replayed',
      'previousUntil !== null && previousUntil > now ? null : rotatedAt',
      'rotatedAt',
    ],
    [
      'deliveries without a signed time are forgotten',
      'previousUntil > now ? null : rotatedAt',
      'previousUntil > now ? null : now',
    ],
  ]),
  ...inFile('src-main/inputs/artifacts.ts', ARTIFACTS, [
    [
      'damaged content is returned',
      "if (content && hash('sha256', content) !== ref) throw new ArtifactDamaged(ref);",
      '',
    ],
    [
      'damaged content is not written again',
      "return content !== undefined && hash('sha256', content) === ref;",
      'return content !== undefined;',
    ],
    [
      'artifacts can be read by other users',
      "await open(temporary, 'wx', 0o600);",
      "await open(temporary, 'wx', 0o644);",
    ],
    ['a name may leave the folder of artifacts', '    if (!REF.test(ref)) return undefined;\n', ''],
    ['an artifact that is being put is swept', 'if (this.#inUse.has(ref)) return null;', ''],
    [
      'a new artifact is swept',
      'if (!found?.isFile() || found.mtimeMs >= olderThan) return null;',
      'if (!found?.isFile()) return null;',
    ],
    [
      'referenced artifacts are swept',
      '(!REF.test(ref) || referenced.has(ref))) continue;',
      '!REF.test(ref)) continue;',
    ],
    [
      'an artifact that is put again keeps its old age',
      'if (await this.#isWhole(ref)) await this.#touch(this.#pathOf(ref));',
      'if (await this.#isWhole(ref)) void 0;',
    ],
    [
      'leftovers of a crash are never swept',
      'if (!TEMPORARY.test(name) && (',
      'if (TEMPORARY.test(name) || (',
    ],
    ['a failed write leaves its file', '      await rm(temporary, { force: true });\n', ''],
    [
      'an artifact is named before it is on disk',
      '        await file.sync();\n',
      '',
      'Only a power cut shows it: kill -9 leaves what the kernel has.',
    ],
  ]),
  ...inFile('src-main/inputs/dispatcher.ts', OUTBOX, [
    [
      'failed attempts do not back off further',
      'backoffDelay(row.attempts + 1, BACKOFF',
      'backoffDelay(1, BACKOFF',
    ],
    [
      'two rows of one run are processed at once',
      'if (!this.#busyRuns.has(row.runId)) this.#begin(row);',
      'this.#begin(row);',
    ],
    [
      'a failure that cannot be recorded is tried again at once',
      'this.#pausedUntil = availableAt;',
      '',
    ],
    [
      'the number of stages at a time has no limit',
      'if (this.#running.size >= workers) return;\n        if',
      'if',
    ],
    [
      'a failed row is not looked at again',
      'this.#cancelTimer = store.clock.wakeAt(next, () => this.wake());',
      '',
    ],
    [
      'a stopping host does not wait for its stages',
      'await Promise.all(this.#running.values());',
      '',
    ],
  ]),
  ...inFile('src-main/store/tables/outbox.ts', OUTBOX, [
    [
      'attempts are not counted',
      'SET status = ?, attempts = attempts + 1, last_error',
      'SET status = ?, last_error',
    ],
    [
      'a row is dead one attempt too late',
      'row.attempts + 1 >= OUTBOX_MAX_ATTEMPTS',
      'row.attempts + 1 > OUTBOX_MAX_ATTEMPTS',
    ],
    [
      'later rows of a run pass a dead one',
      "AND earlier.status <> 'dispatched')`",
      "AND earlier.status <> 'dispatched' AND earlier.status <> 'dead')`",
    ],
    [
      'any row can be replayed',
      "if (row?.status !== 'dead') return false;",
      'if (!row) return false;',
    ],
    [
      'a replayed row is dead after one failure',
      "SET status = 'pending', attempts = 0, available_at = ? WHERE",
      "SET status = 'pending', available_at = ? WHERE",
    ],
    [
      'a dead row is retried when its work comes again',
      "         WHERE outbox.status = 'dispatched'`",
      '         WHERE true`',
    ],
    ['rows of younger inputs go first', 'Math.min(since, now)', 'Math.max(since, now)'],
    ['the completion of an ended run is dropped', "AND kind <> 'write_completion'`", '`'],
    [
      'a delayed row is due at once',
      'AND (attempts = 0 OR available_at NOT BETWEEN ? + 1 AND ? + ${LONGEST_RETRY_MS})',
      'AND ? IS NOT NULL AND ? IS NOT NULL',
    ],
    [
      'a row waits for a clock that was set back',
      'available_at NOT BETWEEN ? + 1 AND ? + ${LONGEST_RETRY_MS}',
      'available_at NOT BETWEEN ? + 1 AND ? + 1e15',
    ],
  ]),
  ...inFile('src-main/store/tables/automation-leases.ts', TRANSITIONS, [
    [
      'a held lease can be taken',
      'WHERE automation_leases.lease_expires_at <= ?',
      'WHERE ? IS NOT NULL',
    ],
    [
      'the token does not rise',
      'lease_version = lease_version + 1',
      'lease_version = lease_version',
    ],
    [
      'a worker whose lease was taken still writes',
      'AND lease_owner = ? AND lease_version = ? AND lease_expires_at > ?',
      'AND ? IS NOT NULL AND ? IS NOT NULL AND lease_expires_at > ?',
    ],
    [
      'a worker whose lease expired still writes',
      'AND lease_version = ? AND lease_expires_at > ?',
      'AND lease_version = ? AND ? IS NOT NULL',
    ],
    [
      'a late worker releases the lease of another',
      'SET lease_expires_at = 0\n         WHERE run_id = ? AND lease_owner = ? AND lease_version = ?',
      'SET lease_expires_at = 0\n         WHERE run_id = ? AND ? IS NOT NULL AND ? IS NOT NULL',
    ],
    [
      'a new host waits for the leases of a dead one',
      "'UPDATE automation_leases SET lease_expires_at = 0 WHERE lease_expires_at > 0'",
      "'UPDATE automation_leases SET lease_expires_at = 0 WHERE false'",
    ],
  ]),
  ...inFile(
    'src-main/input-lifecycle/input-lifecycle.ts',
    [...TRANSITIONS, ...OUTBOX, ...OWNERSHIP, ...DERIVE],
    [
      [
        'a device that does not own the workflow moves its inputs',
        'if (!this.#owns(run.workflowId)) return notOwner();',
        '',
      ],
      [
        'a stage without its lease moves an input',
        'if (lease && !stores.automationLeases.holds(lease)) return fenced(runId);',
        '',
      ],
      ['anyone may make any transition', 'if (!mayMove(actor, event)) return refuse();', ''],
      [
        'a repeated transition is refused',
        "if (isRepeat(run.state, event)) return { type: 'repeated', run };",
        '',
      ],
      [
        'a device that does not own the workflow processes its inputs',
        '    if (this.#owns(input.workflowId)) {\n      stores.outbox.add',
        '    if (input) {\n      stores.outbox.add',
      ],
      [
        'settling changes the time of the first end',
        'const isEnd = isUnfinished(run.state.status) && !isUnfinished(to.status);',
        'const isEnd = !isUnfinished(to.status);',
      ],
      ['the outbox rows of an ended input stay', '    stores.outbox.drop(run.id);\n', ''],
      ['a second stop replaces the first', '      if (!run.stopping) {', '      if (run) {'],
      [
        'a secret is stored before it is redacted',
        'const { value, redacted } = sanitize(input, payload);',
        'const { redacted } = sanitize(input, payload);\n    const value = payload;',
      ],
      [
        'an input whose first event is missing succeeds',
        "if (why === 'first_event_missing') return;",
        '',
      ],
      [
        'an input that was handed over has no work at its new owner',
        "if (status === 'queued' || status === 'enriching') outbox.add(run.id, 'enqueue_enrich');",
        '',
      ],
      [
        'a handed over input that was ready is stuck',
        "if (status === 'ready') outbox.add(run.id, 'enqueue_execute');",
        '',
      ],
      [
        'the former owner keeps the work of its inputs',
        'if (!this.#owns(run.workflowId)) return outbox.drop(run.id);',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/input-lifecycle/sanitize.ts',
    [...SANITIZE, ...OWNERSHIP],
    [
      [
        'the payload of a peer is not sanitized again',
        'if (input.deviceId === deviceId) return',
        'if (input.deviceId) return',
      ],
      ['configured paths are not redacted', '{ paths: [...redactPaths] }', '{ paths: [] }'],
      [
        'secrets are looked for before the text has its normal form',
        'redact(normalise(raw), { paths',
        'redact(raw, { paths',
      ],
    ],
  ),
  ...inFile('src-main/input-lifecycle/work-under-input.ts', DERIVE, [
    [
      'a settled effect still needs a person',
      "holder.effect === 'indeterminate' && !holder.isResolved",
      "holder.effect === 'indeterminate'",
    ],
    [
      'an open question needs nobody',
      "if (holder.effect === 'pending') return",
      "if (holder.effect === 'none') return",
    ],
    [
      'a missing permission needs nobody',
      "if (holder.reason === 'approval') {",
      "if (holder.reason === 'none') {",
    ],
    [
      'an input ends while its runs are open',
      'if (inputChain.hasOpenRuns(inputId)) {',
      'if (inputId === null) {',
    ],
  ]),
  ...inFile('src-main/inputs/finalizer.ts', PIPELINE, [
    ['only the first inputs are looked at', '    return next;', 'return null;'],
  ]),
  ...inFile(
    'src-main/inputs/stages/enrich.ts',
    [...OUTBOX, ...PIPELINE],
    [
      [
        'the row is done before its stage',
        '    const startedAt = { enrichment_started_at: store.clock.now() };',
        "    stores.outbox.done(runId, 'enqueue_enrich');\n    const startedAt = { enrichment_started_at: store.clock.now() };",
      ],
      [
        'a stage that lost its lease goes on',
        "orLost(runs.move(runId, { actor: 'stage', event: { type: 'enriched' }, lease, times }));",
        "runs.move(runId, { actor: 'stage', event: { type: 'enriched' }, lease, times });",
      ],
    ],
  ),
  ...inFile(
    'src-main/inputs/stages/execute.ts',
    [...OUTBOX, ...OWNERSHIP, ...PIPELINE],
    [
      [
        'the first event of an input has a new id each time',
        'messageId: firstMessageId(runId),',
        'messageId: firstMessageId(runId) + Math.random(),',
      ],
      ['the first event does not belong to its input', '          causedBy: input.id,\n', ''],
      [
        'a device that does not own the workflow publishes the first event',
        'if (stores.ownership.epoch(run.workflowId) === null) return null;',
        '',
      ],
      [
        'a payload that is too large leaves the input running',
        "if (published?.type === 'payload_too_large') {",
        'if (published?.type === undefined && published) {',
      ],
    ],
  ),
  ...inFile('src-main/inputs/stages/stage.ts', OUTBOX, [
    [
      'a stage takes the lease of another',
      'if (!lease) throw new StageLost(`Another worker',
      'if (lease === 0) throw new StageLost(`Another worker',
    ],
    [
      'a stage works on an ended input',
      'if (!known || !isUnfinished(known.state.status)) return null;',
      'if (!known) return null;',
    ],
  ]),
  ...inFile('src-shared/machines/automation-run.ts', TRANSITIONS, [
    [
      'a canceled input can be settled',
      "['failed', 'timed_out', 'needs_human'];",
      "['failed', 'timed_out', 'needs_human', 'canceled'];",
    ],
    [
      'an input can be settled twice',
      "return SETTLEABLE.includes(state.status) && !('settled' in state);",
      'return SETTLEABLE.includes(state.status);',
    ],
    [
      'a stage may time an input out',
      "time_out: ['finalizer'],",
      "time_out: ['finalizer', 'stage'],",
    ],
    ['the engine may settle an input', "settle: ['person'],", "settle: ['person', 'engine'],"],
    [
      'another completion of an ended input is a repetition',
      "state.status === 'succeeded' && state.completionId === event.completionId;",
      "state.status === 'succeeded';",
    ],
  ]),
  ...inFile(
    'src-shared/inputs/derive-input-status.ts',
    [...DERIVE, ...HONEST],
    [
      [
        'an input ends while its events are pending',
        '  if (work.isLeft) {',
        '  if (work.isLeft && stopping === null && work.waitsForPerson !== null) {',
      ],
      [
        'an input with an event that was set aside succeeds',
        'if (setAside > 0) {',
        'if (setAside < 0) {',
      ],
      [
        'an input of which some events were consumed is skipped',
        'if (skipped > 0 && consumed === 0) {',
        'if (skipped > 0) {',
      ],
      [
        'an input to which nothing followed says nothing',
        "if (hasFollowed) return { type: 'drained' };",
        "if (!hasFollowed) return { type: 'drained' };",
      ],
      [
        'an input goes on while a person is needed',
        "return status === 'needs_human' && work.waitsForPerson === null ?",
        "return status === 'needs_human' ?",
      ],
    ],
  ),
  ...inFile('src-shared/inputs/redact.ts', REDACT, [
    [
      'secrets in keys are stored',
      'const redacted = redactText(key, (why) => kinds.push(why));',
      'const redacted = key;',
    ],
    [
      'a field named like a secret is stored',
      "if (!isNamed && isSecretName(shown)) return this.#whole(member, 'secret-name');",
      '',
    ],
    [
      'configured paths are stored',
      "if (named.some((rest) => rest.length === 0)) return this.#whole(value, 'named-path');",
      '',
    ],
    [
      'a path that cannot be read is skipped',
      'if (!parts) throw new Error(',
      'if (!parts) return [ANY, ANY, ANY, ANY];\n  if (parts.length > 1e9) throw new Error(',
    ],
    ['`*` matches only a key of this name', 'first === ANY || first === key', 'first === key'],
    [
      'values that are nested too deep are stored',
      "if (this.#at.length >= MAX_INPUT_DEPTH) return this.#whole(value, 'nested-too-deep');",
      'if (this.#at.length >= MAX_INPUT_DEPTH) return value;',
    ],
    [
      'a card number that is a number is stored',
      'if (!Number.isSafeInteger(value) || !isCardNumber(String(value))) return value;',
      'if (value === value) return value;',
    ],
    ['`__proto__` is stored', "if (key === '__proto__') {", "if (key === '__prototype__') {"],
    [
      'the list of removed values has no bound',
      'if (this.#listed.length === MAX_REDACTED_LISTED) this.#more += 1;\n    else',
      '',
    ],
    [
      'keys that become equal replace one another',
      'for (let count = 2; taken.has(free); count += 1) free = `${redacted} ${count}`;\n    this',
      'void taken;\n    this',
    ],
    [
      'a redacted value is listed again',
      "if (typeof value === 'string' && isMarker(value)) return value;",
      '',
    ],
    [
      'a boolean field named like a secret is removed',
      "(why === 'secret-name' && typeof value === 'boolean')",
      "why === 'none'",
    ],
    [
      'the list shows long keys whole',
      "if (typeof part === 'number' || part.length <= MAX_SHOWN_KEY_LENGTH) return part;",
      'if (part !== null) return part;',
    ],
  ]),
  ...inFile('src-shared/inputs/secret-patterns.ts', REDACT, [
    [
      'a secret inside a replaced one is stored',
      'for (let round = 0; round < MAX_ROUNDS; round += 1) {',
      'for (let round = 0; round < 1; round += 1) {\n    if (round === 0) return redactOnce(before, found);',
    ],
    ['a private key without its end is stored', '(?: BLOCK)?-----|$)/g', '(?: BLOCK)?-----)/g'],
    ['a token after a letter is one', "const START = '(?<![A-Za-z0-9_-])';", "const START = '';"],
    ['the token type is a secret', '|credentials?)$/', '|credentials?)/'],
    ['camel case hides a secret name', ".replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')", ''],
    ['`password2` is not a secret name', ".map((word) => word.replace(/\\d+$/, ''))", ''],
    [
      'bearer tokens in texts are stored',
      "why: 'bearer-token',\n    pattern: /(\\bbearer",
      "why: 'bearer-token',\n    pattern: /(\\bbear-er",
    ],
    [
      'credentials in an address are stored',
      '[^\\s/@"\'<>\\\\]+(?=@)/gi',
      '[^\\s/@"\'<>\\\\]+(?=@@)/gi',
    ],
    [
      'a quoted password is stored after its first word',
      '(?!•••\\()[^"\'\\\\\\n]{4,}/gi',
      '(?!•••\\()[^"\'\\\\\\n\\s]{4,}/gi',
    ],
  ]),
  ...inFile('src-shared/inputs/card-number.ts', REDACT, [
    ['the check digit of a card is ignored', 'return sum % 10 === 0;', 'return sum >= 0;'],
    [
      'a card in groups is stored',
      'const DIGITS = /\\d(?:[ -]?\\d){12,}/g;',
      'const DIGITS = /\\d{13,}/g;',
    ],
    [
      'a part of a longer number is a card',
      'if (end === undefined || isDigit(run[end + 1])) continue;',
      'if (end === undefined) continue;',
    ],
    ['a card may begin inside a number', 'if (isDigit(run[start - 1])) continue;', ''],
    ['the shortest card is found first', 'lengths: [19, 16, 13] }', 'lengths: [13, 16, 19] }'],
  ]),
  ...inFile('src-shared/inputs/normalise.ts', NORMALISE, [
    ['two spellings of a letter stay two', ".normalize('NFC')", ''],
    ['line ends stay as they came', ".replaceAll(/\\r\\n?/g, '\\n')", ''],
    [
      'two spellings of one key are one member',
      'for (let count = 2; isTaken(free, key); count += 1) free = `${plain} ${count}`;',
      'void isTaken;',
    ],
    ['lone surrogates stay', '    .toWellFormed()\n', ''],
    [
      'keys are not sorted',
      '[...members].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))',
      '[...members].toReversed()',
    ],
  ]),
  ...inFile(
    'src-shared/inputs/json-path.ts',
    [...DEDUP, ...REDACT],
    [
      [
        'a path reaches into the prototype',
        'own(at, part);',
        '(at as { [key: string]: Json })[part];',
      ],
    ],
  ),
  ...inFile(
    'src-main/store/queries/input-chain.ts',
    [...DERIVE, ...MERGED, ...HONEST],
    [
      [
        'an input ends while an event of it is reserved',
        "(e.status = 'reserved' OR (e.status = 'pending'",
        "((e.status = 'pending'",
      ],
      [
        'an event that nobody consumes keeps its input open',
        'EXISTS (${CONSUMERS_OF_TOPIC}) OR NOT EXISTS (',
        'true OR NOT EXISTS (',
      ],
      ['a question counts as a sent effect', "AND m.tool_namespace <> 'ask'`", '`'],
      [
        'a failed effect counts as sent',
        "m.status NOT IN ('pending', 'failed')",
        "m.status NOT IN ('pending')",
      ],
      [
        'events of several inputs belong to the first alone',
        'WHERE c.input_id = ? AND ${where}',
        'WHERE c.input_id = ? AND false AND ${where}',
      ],
    ],
  ),
  ...inFile('src-main/store/tables/hooks.ts', LEFTOVERS, [
    [
      'proofs that are still needed are forgotten',
      'WHERE hook_id = ? AND taken_at < ?',
      'WHERE hook_id = ? AND taken_at < ? + 1e9',
    ],
  ]),
  ...inFile('src-main/inputs/stages/enrich.ts', LEFTOVERS, []),
];
