// Mutants of schedules and of what decides when a lane works.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const SLOTS = ['test/engine/slots.test.ts'];
const PRODUCER = ['test/engine/producer.test.ts'];
const CHECK = [
  'test/authoring/check-workflow.test.ts',
  'test/authoring/durations-and-cycles.test.ts',
];
const WAKES = [
  'test/engine/wake.test.ts',
  'test/engine/failure.test.ts',
  'test/engine/producer.test.ts',
];
const CONSUMER = ['test/engine/consumer.test.ts', 'test/engine/wake.test.ts'];

export const SCHEDULE_MUTANTS: readonly Mutant[] = [
  ...inFile('src-main/engine/lane/schedules.ts', SLOTS, [
    ['all missed slots run by default', "schedule.missed ?? 'latest'", "schedule.missed ?? 'all'"],
    [
      'a slot that is late by any time runs',
      "if (rule === 'none' && now - latest > GRACE_MS) {",
      "if (rule === 'none' && now - latest > Infinity) {",
    ],
    [
      'a slot that is late by a moment does not run',
      "if (rule === 'none' && now - latest > GRACE_MS) {",
      "if (rule === 'none' && now - latest > 0) {",
    ],
    [
      'with `missed: "all"` only the first missed slot runs',
      'next: slots[1] ?? following',
      'next: following',
    ],
    [
      'the time zone of a cron is ignored',
      'schedule.timezone ? { timezone: schedule.timezone } : {}',
      '{}',
    ],
    [
      'a time that daylight saving skips runs an hour later',
      'while (next && !cron.match(next)) next = cron.nextRun(next);',
      '',
    ],
    [
      'missed slots are counted without a limit',
      'if (slots.length >= MAX_MISSED) return',
      'if (slots.length >= Infinity) return',
    ],
    [
      'after too many missed slots the old ones go on',
      'return { slots, following: nextSlot(schedule, now) };',
      'return { slots, following: next };',
    ],
    [
      'a slot at this moment waits for the next',
      'if (next === null || next > now) return',
      'if (next === null || next >= now) return',
    ],
    [
      'a slot that was due before the run is skipped',
      'next !== null && next > startedAt && next <= now',
      'next !== null && next <= now',
    ],
    [
      'a slot that comes after the run is skipped',
      'next > startedAt && next <= now',
      'next > startedAt',
    ],
    [
      'slots during a run are always skipped',
      "if (schedule.overlap !== 'skip' || !isDuringRun)",
      'if (!isDuringRun)',
    ],
    [
      'slots during a run are never skipped',
      "if (schedule.overlap !== 'skip' || !isDuringRun)",
      "if (schedule.overlap === 'skip' || !isDuringRun)",
    ],
    [
      'an interval begins after its length',
      "return 'every' in schedule ? now : nextSlot(schedule, now);",
      'return nextSlot(schedule, now);',
    ],
    [
      'a stored time from a wrong clock is believed',
      'if (stored <= now) return stored;',
      'if (stored > 0) return stored;',
    ],
    [
      'a small clock correction repeats a slot',
      'return stored > second ? first : stored;',
      'return stored > first ? first : stored;',
    ],
    [
      'the latest missed slot counts as missed',
      'missed: slots.slice(0, -1), next: following',
      'missed: slots, next: following',
    ],
  ]),
  ...inFile('src-main/engine/lane/producer-schedules.ts', SLOTS, [
    [
      'an activation starts every schedule over',
      'if (row && JSON.stringify(row.schedule) === JSON.stringify(schedule)) continue;',
      '',
    ],
    [
      'a changed schedule keeps its next time',
      'if (row && JSON.stringify(row.schedule) === JSON.stringify(schedule)) continue;',
      'if (row) continue;',
    ],
    [
      'the schedule of a removed producer stays',
      'for (const producer of known.keys()) producerSchedules.remove(workflowId, producer);',
      '',
    ],
    [
      'a skipped slot forgets the last one that ran',
      'lastSlotAt: slot ?? known.lastSlotAt',
      'lastSlotAt: slot',
    ],
  ]),
  ...inFile('src-main/engine/lane/work-runner.ts', PRODUCER, [
    [
      '`run now` advances the schedule',
      'onCommit: (run) => due && this.#advance(script, run, due, startedAt),',
      'onCommit: (run) => this.#advance(script, run, due ?? { slot: startedAt, missed: [], next: startedAt + 1e9 }, startedAt),',
    ],
    ['skipped slots are not in the log', 'if (skipped.length > 0) {', 'if (skipped.length < 0) {'],
  ]),
  ...inFile('src-main/engine/runs/producer-run.ts', PRODUCER, [
    [
      'a producer that lost ownership commits',
      '    if (!stores.ownership.holds(workflowId, session.epoch)) {',
      '    if (session.epoch < 0) {',
    ],
    [
      'missed slots are not in the log',
      'if (options.missed.length > 0) {',
      'if (options.missed.length < 0) {',
    ],
    [
      'a refused publish is committed',
      'if (problem !== null) return fail(',
      'if (problem === undefined) return fail(',
    ],
  ]),
  ...inFile(
    'src-main/engine/lane/pick-work.ts',
    [...PRODUCER, ...WAKES],
    [
      [
        'the producer that has been due for the shortest goes first',
        '!longest || at < longest.since) {',
        '!longest || at > longest.since) {',
      ],
      [
        'the consumer that has been due for the shortest goes first',
        '!longest || isEarlier(since, longest.since);',
        '!longest || !isEarlier(since, longest.since);',
      ],
      [
        'a producer does not back off',
        'const at = Math.max(nextRunAt, waitUntil(notBefore, now, LONGEST_RETRY_MS) ?? 0);',
        'const at = nextRunAt;',
      ],
      [
        'a consumer does not back off',
        '    if (notBefore !== null) {\n',
        '    if (notBefore === 0) {\n',
      ],
      [
        'producers wait until no consumer is due',
        "memory.lastTurn === 'produce') return consumer;",
        'memory) return consumer;',
      ],
      [
        'what was published while a consumer prepared is missed',
        'return events.revision(topicId) > (seen.revisions[topicId] ?? 0);',
        'return events.revision(topicId) > (seen.revisions[topicId] ?? 0) + 1;',
      ],
      [
        'a consumer of a new version does not look again',
        'if (seen === null || seen.scriptId !== scriptId) return true;',
        'if (seen === null) return true;',
      ],
      [
        'an unknown outcome does not block the lane',
        "if (mutation?.status !== 'needs_reconcile') return { type: 'blocked', until: null };",
        "if (mutation?.status !== 'needs_reconcile') continue;",
      ],
      [
        'a retried first event opens the session of its input again',
        'runId === null || state.attempt > 1',
        'runId === null',
      ],
      [
        'a wake that was asked for is never due',
        'if (wakeAt === null && isLonger(due)) {',
        'if (wakeAt === 0 && isLonger(due)) {',
      ],
    ],
  ),
  ...inFile(
    'src-shared/stored-time.ts',
    [...WAKES, 'test/inputs/outbox.test.ts'],
    [
      [
        'a wait never ends after the clock was set back',
        'stored > now && stored <= now + longest ?',
        'stored > now ?',
      ],
    ],
  ),
  ...inFile(
    'src-shared/backoff.ts',
    ['test/engine/failure.test.ts', 'test/inputs/outbox.test.ts'],
    [
      [
        'the backoff has no limit',
        'Math.min(baseMs * 2 ** (failures - 1), maxMs)',
        'baseMs * 2 ** (failures - 1)',
      ],
      ['the backoff does not grow', 'baseMs * 2 ** (failures - 1)', 'baseMs * failures ** 0'],
      [
        '`Retry-After` is not respected',
        '    Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),',
        '    0 * retryAfterMs,',
      ],
      [
        '`Retry-After` has no limit',
        '    Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),',
        '    retryAfterMs,',
      ],
      [
        '`Retry-After` shortens the backoff',
        '  return Math.max(\n    backoffDelay(failures, backoff, random),',
        '  return retryAfterMs > 0 ? retryAfterMs : Math.max(\n    backoffDelay(failures, backoff, random),',
      ],
    ],
  ),
  ...inFile('src-main/engine/lane/run-budget.ts', SLOTS, [
    [
      'a workflow gets one run too many in an hour',
      'return this.#spent <= this.#limit;',
      'return this.#spent <= this.#limit + 1;',
    ],
    ['the budget of an hour is never refilled', '      this.#spent = 0;\n', ''],
  ]),
  ...inFile(
    'src-main/engine/lane/lane-session.ts',
    [
      'test/engine/session-starts.test.ts',
      'test/engine/session-end.test.ts',
      'test/engine/versions.test.ts',
      'test/engine/ownership.test.ts',
    ],
    [
      [
        'a session goes on with a new version',
        'this.#open.epoch !== epoch || this.#open.scriptId !== scriptId',
        'this.#open.epoch !== epoch',
      ],
      [
        'a session goes on in a new epoch',
        'this.#open.epoch !== epoch || this.#open.scriptId !== scriptId',
        'this.#open.scriptId !== scriptId',
      ],
      ['each run has a session of its own', 'clock.now() + SESSION_LINGER_MS', 'clock.now()'],
    ],
  ),
  ...inFile(
    'src-main/engine/lane/tenure.ts',
    ['test/engine/ownership.test.ts'],
    [
      [
        'a lane that lost its workflow leaves its runs open',
        'closeLostRuns(this.#context, this.#workflowId);',
        'void closeLostRuns;',
      ],
      [
        'work that was left open is not recovered when the workflow returns',
        "if (before.type !== 'new') this.#regained(toResend);",
        '',
      ],
    ],
  ),
  ...inFile('src-main/engine/runs/prepare-result.ts', CONSUMER, [
    [
      'a consumer can wake itself at once',
      'Math.max(wake, now + MIN_WAKE_MS)',
      'Math.max(wake, now)',
    ],
    ['a consumer can sleep forever', ', now + MAX_WAKE_MS)', ', Infinity)'],
    [
      'an unreadable `wakeAt` is ignored',
      'if (wake !== null && Number.isNaN(wake)) {',
      'if (wake === 0) {',
    ],
    [
      'an event that is reserved twice is two reservations',
      'reservations: [...new Set(reservations)],',
      'reservations,',
    ],
  ]),
  ...inFile('src-shared/authoring/duration.ts', CHECK, [
    ['an interval may be shorter than ten seconds', 'ms >= MIN_INTERVAL_MS && ms', 'ms > 0 && ms'],
    [
      'an interval of ten seconds is refused',
      'ms >= MIN_INTERVAL_MS && ms',
      'ms > MIN_INTERVAL_MS && ms',
    ],
    ['an interval may be longer than a year', '&& ms <= MAX_INTERVAL_MS', ''],
    ['a minute has 100 seconds', 'm: 60_000,', 'm: 100_000,'],
  ]),
  ...inFile('src-main/authoring/check-schedule.ts', CHECK, [
    ['a cron may fire more often than every ten seconds', '< MIN_INTERVAL_MS,', '< 0,'],
    [
      'an interval may have a time zone',
      "if ('every' in fields && 'timezone' in fields) {",
      "if ('every' in fields && 'timezone' in fields && 'cron' in fields) {",
    ],
    [
      'an unknown time zone is accepted',
      'if (timezone !== undefined && !isTimezone(timezone)) {',
      'if (timezone !== undefined && !timezone) {',
    ],
    [
      'a cron that never fires is accepted',
      'if (!first) return bad(',
      'if (!first) return undefined;\n    if (!cron) return bad(',
    ],
    [
      'an unknown field of a schedule is ignored',
      "if (!choices && !['every', 'cron', 'timezone'].includes(key)) {",
      'if (!choices && !key) {',
    ],
    [
      'an unknown rule for missed slots is accepted',
      'if (choices && !choices.includes(field as string)) {',
      'if (choices && !field) {',
    ],
  ]),
];
