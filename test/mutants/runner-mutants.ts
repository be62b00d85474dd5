// Mutants of the runner: the registry, the queue, the launcher, processes and logs (spec 003).
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const LAUNCHER = ['test/runner/launcher.test.ts'];
const EXECUTOR = ['test/runner/executor.test.ts'];
const LOGS = ['test/runner/logs.test.ts'];
const RECOVERY = ['test/runner/recover-jobs.test.ts'];
const REGISTRY = ['test/runner/registry.test.ts'];
const QUEUE = ['test/runner/job-queue.test.ts'];
const CONFIG = ['test/runner/config.test.ts'];
const STORE = ['test/store/runner-jobs.test.ts'];
const TOOL = ['test/tools/runner.test.ts'];

export const RUNNER_MUTANTS: readonly Mutant[] = [
  ...inFile('src-main/runner/build-command.ts', REGISTRY, [
    [
      'a path argument may leave the repo',
      'return real !== null && isInside(repo, real) ? real : null;',
      'return real;',
    ],
    [
      'a path argument is checked before its links are followed',
      'const real = realpathOfExisting(wanted);',
      'const real = wanted;',
    ],
    [
      'a dangling link counts as a missing file',
      "!== 'ENOENT' || exists(path)) return null;",
      "!== 'ENOENT') return null;",
    ],
    [
      'a folder whose name begins with that of the repo is inside it',
      "return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));",
      'return rest === rest && path.startsWith(folder);',
    ],
    [
      'a program may be linked from outside its folder',
      'if (!isInside(folder, executable)) {',
      'if (!executable) {',
    ],
    [
      'a script runs in a repo that it does not list',
      'if (script.repos && !script.repos.includes(request.repoKey)) {',
      'if (script.repos && !script.repos) {',
    ],
    [
      'an argument that the registry does not list is ignored',
      'if (unknown !== undefined) {',
      'if (unknown !== undefined && !given) {',
    ],
    [
      'the name of a built-in property is a script',
      'const script = own(registry.scripts, request.scriptKey);',
      'const script = registry.scripts[request.scriptKey];',
    ],
    [
      'a missing required argument is left out',
      "if (spec.required) return badArg(name, 'is missing');",
      '',
    ],
    [
      'a flag and its value are one word',
      "return spec.style === 'joined' ? [`${spec.flag}=${text}`] : [spec.flag, text];",
      "return spec.style === 'joined' ? [`${spec.flag}=${text}`] : [`${spec.flag} ${text}`];",
    ],
  ]),
  ...inFile('src-shared/runner/check-arg.ts', REGISTRY, [
    [
      'a value may begin with a dash',
      "return text.startsWith('-') && spec.type === 'string' ? dashed(spec, text) : { ok: true, text };",
      'return { ok: true, text };',
    ],
    [
      'a negative number may be read as an option',
      "return text.startsWith('-') ? dashed(spec, text) : { ok: true, text };",
      'return { ok: true, text };',
    ],
    [
      'a value may be one character longer than its limit',
      'if (text.length > spec.maxLength)',
      'if (text.length > spec.maxLength + 1)',
    ],
    ['the lowest allowed number is refused', 'value < min)', 'value <= min)'],
    ['a number over its maximum passes', 'value > max)', 'value > max + 1)'],
    [
      'a value may contain NUL',
      "if (text.includes('\\0')) return flaw('must not contain a NUL character');",
      '',
    ],
    ['a value may be half a character', '!text.isWellFormed()', '!text.length'],
    [
      'a value outside its choices passes',
      'if (spec.choices && !spec.choices.map(String).includes(text)) {',
      'if (spec.choices && !spec.choices) {',
    ],
  ]),
  ...inFile('src-shared/runner/registry.ts', REGISTRY, [
    ['a pattern may match a part of the value', '`^(?:${pattern})$`', '`(?:${pattern})`'],
    [
      'only the first and last alternative of a pattern are anchored',
      '`^(?:${pattern})$`',
      '`^${pattern}$`',
    ],
    [
      "the registry may set Holdfast's own variables",
      ".refine((name) => !name.startsWith('HOLDFAST_'), 'is reserved by Holdfast')",
      '',
    ],
    [
      'a script may name a repo that is not there',
      'if (Object.hasOwn(repos, repo)) continue;',
      'continue;',
    ],
  ]),
  ...inFile('src-main/runner/registry-file.ts', REGISTRY, [
    [
      'a broken registry allows what it allowed before',
      '    this.#last = last;',
      '    this.#last = last.registry ? last : (this.#last ?? last);',
    ],
    [
      'a change of the registry that leaves its size is not noticed',
      '`${stat.ino}.${stat.mtimeNs}.${stat.ctimeNs}.${stat.size}`',
      '`${stat.size}`',
    ],
    [
      'a broken registry is saved',
      'if (!checked.registry) return { path: this.path, ...checked };',
      '',
    ],
    [
      'an unreadable registry counts as missing',
      "if ((error as NodeJS.ErrnoException).code === 'ENOENT') return parse(EMPTY_TEXT);",
      'if (error) return parse(EMPTY_TEXT);',
    ],
  ]),
  ...inFile('src-main/runner/job-queue.ts', QUEUE, [
    [
      'another body with a used key returns the first job',
      'return known.payloadHash === payloadHash ? ',
      'return known.payloadHash ? ',
    ],
    [
      'the key of a job does not cover its arguments',
      'canonicalJson({ repoKey, scriptKey, args, timeout: timeoutSeconds ?? null })',
      'canonicalJson({ repoKey, scriptKey, timeout: timeoutSeconds ?? null })',
    ],
    [
      'the key of a job does not cover its repo',
      'canonicalJson({ repoKey, scriptKey, args, timeout: timeoutSeconds ?? null })',
      'canonicalJson({ scriptKey, args, timeout: timeoutSeconds ?? null })',
    ],
    [
      'a requester may queue one job too many',
      'jobs.queuedCount(requestedBy) >= maxQueuedPerUser',
      'jobs.queuedCount(requestedBy) > maxQueuedPerUser',
    ],
    [
      'the queue takes one job too many',
      'jobs.queuedCount() >= maxQueueSize',
      'jobs.queuedCount() > maxQueueSize',
    ],
    ['a full queue does not say when to retry', 'retryAfterSeconds: RETRY_AFTER_SECONDS,', ''],
    [
      'a request can exceed the timeout of the registry',
      'Math.min(request.timeoutSeconds ?? Infinity, command.script.timeoutSeconds)',
      'request.timeoutSeconds ?? command.script.timeoutSeconds',
    ],
    [
      'an ended job is always replaced by a new one',
      "if (known && !('finishedAt' in known.state && mayReplace(known))) {",
      "if (known && !('finishedAt' in known.state)) {",
    ],
    ['a running job is not told of its cancellation', '    onCancel(jobId);\n', ''],
  ]),
  ...inFile('src-main/runner/config.ts', CONFIG, [
    [
      'any value enables the runner',
      "isEnabled: env['RUNNER_ENABLED'] === 'true',",
      "isEnabled: Boolean(env['RUNNER_ENABLED']),",
    ],
    [
      'an unreadable setting falls back to its default',
      "if (text === undefined || text === '') return otherwise;",
      'if (text === undefined || !/^\\d+$/.test(text)) return otherwise;',
    ],
  ]),
  ...inFile(
    'src-main/store/tables/runner-jobs.ts',
    [...STORE, ...QUEUE],
    [
      [
        'the youngest job goes first',
        'json_each(?)) ORDER BY id LIMIT 1)',
        'json_each(?)) ORDER BY id DESC LIMIT 1)',
      ],
      [
        'a launcher that lost its lock claims jobs',
        'AND EXISTS (SELECT 1 FROM runner_launcher WHERE version = ?)\n         RETURNING',
        'AND ? IS NOT NULL\n         RETURNING',
      ],
      [
        'a launcher that lost its lock ends jobs',
        "if (this.db.value('SELECT version FROM runner_launcher') !== version)",
        'if (version < 0)',
      ],
      [
        'a launcher that lost its lock records a start',
        'AND launcher_version = ?\n             AND EXISTS (SELECT 1 FROM runner_launcher WHERE version = ?)`',
        'AND ? IS NOT NULL AND ? IS NOT NULL`',
      ],
      [
        'requesters share their keys',
        'WHERE requested_by = ? AND idempotency_key = ? ORDER BY',
        'WHERE ? IS NOT NULL AND idempotency_key = ? ORDER BY',
      ],
      [
        'a busy script blocks the jobs behind it',
        'AND script_key NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1)',
        'ORDER BY id LIMIT 1) AND script_key NOT IN (SELECT value FROM json_each(?))',
      ],
      [
        'a status change is not in the history',
        '    this.#changed(id, reason ===',
        "    if (to.status !== 'canceled') this.#changed(id, reason ===",
      ],
      [
        'a clock that was set back makes a job end before it began',
        'const at = Math.max(event.at, job.createdAt, begun);',
        'const at = event.at;',
      ],
    ],
  ),
  ...inFile(
    'src-main/store/tables/runner-launcher.ts',
    [...STORE, ...LAUNCHER],
    [
      [
        'two holders of the lock have one version',
        'SET version = version + 1, owner',
        'SET version = version, owner',
      ],
      [
        'a launcher takes the lock from a living one',
        '&& holder.owner !== self.owner && !isGone(holder)) return undefined;',
        '&& holder.owner !== self.owner && !isGone) return undefined;',
      ],
    ],
  ),
  ...inFile('src-shared/machines/runner-job.ts', STORE, [
    [
      'a canceled script that ends with 0 has succeeded',
      "if (state.status === 'cancel_requested') return 'canceled';",
      '',
    ],
    [
      'an ended job can fail again',
      "if (!isAlive(state) && state.status !== 'queued') return refuse();",
      '',
    ],
  ]),
  ...inFile('src-main/runner/launcher.ts', LAUNCHER, [
    [
      'one job too many runs at a time',
      'this.#running.size + claimed.length < this.#context.concurrency) {',
      'this.#running.size + claimed.length <= this.#context.concurrency) {',
    ],
    [
      'one job of a script too many runs at a time',
      'return running >= limit ? [key] : [];',
      'return running > limit ? [key] : [];',
    ],
    [
      'a process starts before its claim is on disk',
      '      await onDisk;\n',
      '      void onDisk;\n',
    ],
    [
      'a launcher of this boot that still runs counts as dead',
      'if (pidStarted !== null && tree.startOf(pid) !== pidStarted) return true;',
      'if (pidStarted !== null) return true;',
    ],
    [
      'another process with the pid of a dead launcher counts as it',
      'if (pidStarted !== null && tree.startOf(pid) !== pidStarted) return true;',
      '',
    ],
    [
      'a launcher of an earlier boot counts as alive until its lease ends',
      'if (bootId !== tree.bootId) return true;',
      '',
    ],
    [
      'a lease of the launcher never ends',
      'return clock.now() - heartbeatAt > LEASE_MS;',
      'return false;',
    ],
    [
      'a launcher does not notice that it lost the lock',
      'else if (!this.#context.lock.heartbeat(this.#version)) this.#lost();',
      'else this.#context.lock.heartbeat(this.#version);',
    ],
    [
      'a host that stops does not wait for its jobs',
      'await Promise.all([...this.#running.values()].map(({ done }) => done));',
      '',
    ],
    [
      'the jobs of a dead launcher are not recovered',
      'this.#recovery = recoverJobs(this.#context, version)',
      'this.#recovery = Promise.resolve(0)',
    ],
  ]),
  ...inFile(
    'src-main/runner/executor.ts',
    [...EXECUTOR, ...LAUNCHER],
    [
      ['a script runs in a shell', '    shell: false,', '    shell: true,'],
      [
        'a script runs in the session of the host',
        "detached: process.platform !== 'win32',",
        'detached: false,',
      ],
      ['a script runs in the folder of the host', '    cwd: command.cwd,\n', ''],
      [
        'processes that a script left are not ended',
        'const tail = endedBy === null ? await this.#endLeftovers(log, graceMs) : await asked;',
        'const tail = endedBy === null ? { found: 0, killed: false, left: [] } : await asked;',
      ],
      [
        'a job that timed out counts as exited',
        "if (endedBy === 'time_out') return { type: 'time_out', at };",
        '',
      ],
      [
        'the signal that ended a script is not in its exit code',
        'return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);',
        'return code ?? 0;',
      ],
      [
        'a job that was canceled before its start runs',
        'if (this.#ending !== null) return this.#endUnstarted();',
        '',
      ],
      [
        'a launcher that lost its lock starts a process',
        'if (!jobs.spawnAsked(this.job.id, this.#version)) return null;',
        'jobs.spawnAsked(this.job.id, this.#version);',
      ],
    ],
  ),
  ...inFile(
    'src-main/runner/environment.ts',
    [...EXECUTOR, ...LOGS],
    [
      [
        'a script gets all variables of the host',
        'return { ...Object.fromEntries(',
        'return { ...host, ...Object.fromEntries(',
      ],
    ],
  ),
  ...inFile('src-main/runner/kill-tree.ts', EXECUTOR, [
    [
      'a script is killed without a request',
      "tree.signal(jobId, asked, 'SIGTERM');",
      "tree.signal(jobId, asked, 'SIGKILL');",
    ],
    [
      'a script gets no grace period',
      'const stubborn = await untilGone(tree, jobId, asked, graceMs, clock);',
      'const stubborn = await untilGone(tree, jobId, asked, 0, clock);',
    ],
    [
      'processes that began during the grace period are left',
      'if (others.length === 0 || clock.now() >= deadline) return others;',
      'return [];',
    ],
  ]),
  ...inFile(
    'src-main/runner/linux-tree.ts',
    [...EXECUTOR, ...RECOVERY],
    [
      [
        'only the process group of a script is killed',
        'for (const member of members) if (this.isAlive(member)) send(member.pid, signal);',
        '',
      ],
      [
        'a process that left the session is found by nothing',
        '(mark !== null && this.#jobs.has(mark) ? mark : null) ??',
        '',
      ],
      [
        'a process is identified by its pid alone',
        '!stat.isDead && stat.started === started;',
        '!stat.isDead;',
      ],
      [
        'the pid of a dead script is adopted, whoever has it now',
        'const isSame = leader !== null && this.isAlive(leader);',
        'const isSame = leader !== null;',
      ],
      ['a process that a scan found is forgotten', 'this.#foundBefore(stat) ??\n      ', ''],
    ],
  ),
  ...inFile('src-main/runner/recovery.ts', RECOVERY, [
    [
      'after a reboot the pids of former jobs are signaled',
      "machine === 'restarted' ? NOTHING_FOUND : await endSurvivors(context, job);",
      'await endSurvivors(context, job);',
    ],
    [
      'the survivors of a crash are left running',
      "machine === 'restarted' ? NOTHING_FOUND : await endSurvivors(context, job);",
      'NOTHING_FOUND;',
    ],
    [
      'the log of a recovered job says nothing',
      'return appendLogLine(logDir, job.id,',
      'return ((..._: unknown[]) => 0)(logDir, job.id,',
    ],
    [
      'a computer that was restarted counts as the same',
      "return bootId === tree.bootId ? 'same' : 'restarted';",
      "return bootId ? 'same' : 'restarted';",
    ],
  ]),
  ...inFile('src-main/runner/log-mask.ts', LOGS, [
    [
      'a secret that two chunks share is not masked',
      'const from = this.#holdFrom(text);',
      'const from = text.length;',
    ],
    [
      'the end of a stream is not masked',
      'return this.#masked(rest);',
      "return Buffer.from(rest, 'latin1');",
    ],
    [
      'only the first occurrence of a secret is masked',
      'masked = masked.replaceAll(needle, () => shown);',
      'masked = masked.replace(needle, () => shown);',
    ],
  ]),
  ...inFile('src-main/runner/log-file.ts', LOGS, [
    [
      'a log grows beyond its limit',
      'const room = this.#isCut ? 0 : this.#options.maxBytes - this.#bytes;',
      'const room = Infinity;',
    ],
    [
      'a log that is cut does not say so',
      "await this.#write('0', Buffer.from(`\\n${sentence}`));",
      'void sentence;',
    ],
    [
      'script output can be mistaken for a mark',
      'if (!bytes.includes(RS)) return bytes;',
      'if (bytes) return bytes;',
    ],
    ['a log can be read by other users', "'wx', 0o600);", "'wx', 0o644);"],
    [
      'the marks of two streams interleave',
      'const done = this.#last.then(work);',
      'const done = work();',
    ],
    [
      'a chunk splits a character of the log',
      'const whole = wholeCharacters(bytes);',
      'const whole = bytes.length;',
    ],
  ]),
  ...inFile('src-main/runner/log-reader.ts', LOGS, [
    [
      'a part of a log splits a character',
      'const shown = isEnd ? bytesRead : wholeLength(bytes);',
      'const shown = bytesRead;',
    ],
    [
      'an incomplete character at the end of a final log is never returned',
      'const isEnd = range.isFinal && range.offset + bytesRead === size;',
      'const isEnd = range.isFinal && range.offset + bytesRead > size;',
    ],
    [
      'reading beyond the end does not name the end',
      'if (range.offset >= size) return emptyPart(size);',
      'if (range.offset >= size) return emptyPart(range.offset);',
    ],
  ]),
  ...inFile('src-main/runner/log-retention.ts', LOGS, [
    [
      'logs of later jobs do not count',
      'else this.#total += this.#jobs.get(jobId)?.logBytes ?? 0;',
      '',
    ],
    ['a job does not say that its log was removed', 'this.#jobs.logRemoved(job.id);', ''],
    [
      'more logs than necessary are removed',
      '      if (this.#total <= this.#maxBytes) return;\n',
      '',
    ],
  ]),
  ...inFile(
    'src-shared/runner/log-text.ts',
    ['test/shared/runner-log.test.ts'],
    [
      [
        'a doubled mark is shown twice',
        'after in LOG_SOURCES || after === RS_CHARACTER ? 2 : 1',
        'after in LOG_SOURCES ? 2 : 1',
      ],
      ['a mark is split after its first byte', 'return run % 2;', 'return 0;'],
      [
        'a character of four bytes is split',
        'back <= Math.min(3, end)',
        'back <= Math.min(2, end)',
      ],
    ],
  ),
  ...inFile('src-main/tools/runner/verdict.ts', TOOL, [
    [
      'after a power cut, a script that may have run counts as never started',
      "if (found?.machine !== 'same') {",
      'if (!found) {',
    ],
    [
      'a script whose start was asked for counts as never started',
      'if (job.spawn === null)',
      "if (job.spawn !== 'done')",
    ],
    [
      'a survivor does not prove that its script ran',
      '|| (found.survivors ?? 0) > 0) return',
      ') return',
    ],
  ]),
  ...inFile('src-main/tools/runner/runner.ts', TOOL, [
    [
      'the effect id is not the key of the job',
      'idempotencyKey: effectId,',
      'idempotencyKey: null,',
    ],
    [
      'a workflow runs a script outside its grant',
      'scripts.includes(script)',
      'scripts.length > 0',
    ],
    [
      'after a restore, a missing job proves that nothing ran',
      'if (!known && sentAt < recordsSince) {',
      'if (!known && sentAt < 0) {',
    ],
  ]),
];
