// Mutants that survived when the tables of docs/specs were checked line by line. Each got a test.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const GATE = 'test/shared/outside/host-gate.test.ts';
const ENDS = 'test/inputs/always-ends.test.ts';
const DERIVE = 'test/inputs/derive-input-status.test.ts';
const LEASES = 'test/inputs/leases.test.ts';
const TOOLS = 'test/inputs/artifact-tools.test.ts';
const MAIL = 'test/tools/mail/send.test.ts';

export const GAP_MUTANTS: readonly Mutant[] = [
  ...inFile(
    'src-shared/outside/host-gate.ts',
    [GATE],
    [
      [
        'a redirect does not count towards the limit',
        '    this.#take(now);\n    return { enteredAt: now, ',
        '    this.#active += 1;\n    return { enteredAt: now, ',
      ],
      [
        'a shorter wait ends a longer one',
        'this.#heldUntil = Math.max(this.heldUntil(now) ?? 0, until);',
        'this.#heldUntil = until;',
      ],
      [
        'how often a host asked is forgotten',
        'return !isUsed && !asksOften &&',
        'return !isUsed &&',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/mail/send.ts',
    [MAIL],
    [['a mail is sent to a server that waits', "visit.type === 'waits'", 'visit.type === null']],
  ),
  ...inFile(
    'src-main/tools/mail/imap-session.ts',
    [MAIL],
    [
      [
        'a mailbox is opened while its server waits',
        "visit.type === 'waits'",
        'visit.type === null',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/mail/mail.ts',
    [MAIL],
    [['a mail waits for no turn', 'hostOf: ({ account }) => mailHostKey(account.smtp),', '']],
  ),
  ...inFile(
    'src-main/inputs/finalizer.ts',
    [LEASES],
    [
      ['the finalizer keeps its lease', '      stores.automationLeases.release(lease);\n', ''],
      [
        'a run that cannot be written ends the pass',
        '      if (isStorageProblem(error)) throw error;',
        '      if (error) throw error;',
      ],
      ['only the first runs are finalized', '    return next;', '    return null;'],
    ],
  ),
  ...inFile(
    'src-main/input-lifecycle/input-lifecycle.ts',
    [ENDS, DERIVE],
    [
      [
        'a changed rule changes the waits that have begun',
        '{ wait: needsHumanOf(stores, run.workflowId) } : {}',
        '{} : {}',
      ],
      [
        '`ctx.complete` waits while a person is needed',
        "if (run.state.status === 'needs_human') {\n        this.move",
        "if (run.state.status === 'ready') {\n        this.move",
      ],
    ],
  ),
  ...inFile(
    'src-shared/inputs/derive-input-status.ts',
    [DERIVE],
    [
      [
        'an early ctx.complete hides an event that was set aside',
        'if (setAside > 0) {',
        'if (setAside > 0 && !hasCompletion) {',
      ],
    ],
  ),
  ...inFile(
    'src-main/engine/runs/artifact-calls.ts',
    [TOOLS],
    [
      ['the first artifact of a name counts', 'found.findLast(', 'found.find('],
      [
        'an artifact is attached to the first input only',
        '    for (const input of inputs) {\n      const runId',
        '    for (const input of inputs.slice(0, 1)) {\n      const runId',
      ],
    ],
  ),
  ...inFile(
    'src-main/inputs/artifacts.ts',
    ['test/inputs/artifacts.test.ts'],
    [
      ['an artifact is not fsynced', '        await file.sync();\n', ''],
      ['the name of an artifact is not fsynced', '    await syncFolder(folder);\n  }', '  }'],
    ],
  ),
  ...inFile(
    'src-main/engine/runs/failure.ts',
    ['test/engine/failure.test.ts'],
    [
      [
        'a crash loses the time that a consumer asked for',
        '    : consumerWakes.get(run.workflowId, run.handlerName);',
        '    : NO_WAKE;',
      ],
      [
        'setting an event aside loses the time that a consumer asked for',
        '    ...withoutFailures(context, run),\n    failures: failures + 1,',
        '    ...NO_WAKE,\n    failures: failures + 1,',
      ],
    ],
  ),
  ...inFile(
    'src-main/runner/network-isolation.ts',
    ['test/runner/network.test.ts'],
    [
      [
        'an unshare that fails counts as able to isolate',
        "return `a network namespace could not be created (${stderr.trim() || 'unknown reason'})`;",
        "return stderr === '' ? '' : null;",
      ],
    ],
  ),
  ...inFile(
    'src-main/runner/rest-routes.ts',
    ['test/api/durable-answers.test.ts'],
    [['the runner answers before the fsync', 'await fsync();', 'void fsync();']],
  ),
  ...inFile(
    'src-main/api/handlers/all-handlers.ts',
    ['test/api/dispatch.test.ts'],
    [
      ['the API ignores where a page begins', '(runId, { afterSeq, limit })', '(runId, { limit })'],
      [
        'the API ignores the size of a page',
        '(runId, { afterSeq, limit })',
        '(runId, { afterSeq })',
      ],
    ],
  ),
  ...inFile(
    'src-main/upkeep/backup-file.ts',
    ['test/upkeep/backups.test.ts'],
    [
      [
        'a backup is not checked',
        "    if (finding !== 'ok') throw new BackupDamaged(finding);\n",
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/store/queries/find-inputs.ts',
    ['test/store/found-by-index.test.ts'],
    [
      [
        'a search reads the whole history',
        '.iterate(...params, SEARCH_WINDOW)',
        '.iterate(...params, -1)',
      ],
    ],
  ),
  ...inFile(
    'src-main/input-lifecycle/input-lifecycle.ts',
    [ENDS, 'test/inputs/ownership.test.ts'],
    [
      [
        'nobody is told of a reminder',
        "      store.db.changes.record('automation_runs', run.id);\n    });\n  }\n\n  settle",
        '    });\n  }\n\n  settle',
      ],
      [
        'a former owner keeps trying the stages of its inputs',
        'if (!this.#owns(run.workflowId)) return outbox.drop(run.id);',
        'if (!this.#owns(run.workflowId)) return;',
      ],
    ],
  ),
  ...inFile(
    'src-main/input-lifecycle/policies.ts',
    ['test/inputs/policy.test.ts'],
    [
      [
        'a policy that a sweep removed counts as stored',
        'if (known !== undefined && now < known.until) return known;',
        'if (known !== undefined) return known;',
      ],
    ],
  ),
  ...inFile(
    'src-main/inputs/ingress.ts',
    ['test/inputs/ingress.test.ts'],
    [
      [
        'a webhook that a rotation overtook is refused',
        'return isRotated ? this',
        'return isRotated && hook.rotatedAt === 0 ? this',
      ],
    ],
  ),
  ...inFile(
    'src-main/api/views/workflow-views.ts',
    ['test/api/run-needs.test.ts'],
    [
      [
        'a run whose outcome is being checked needs a person',
        'needOfRun(stores, run) !== null',
        "run.state.phase === 'suspended'",
      ],
    ],
  ),
  ...inFile(
    'src-shared/flags.ts',
    ['test/shared/flags.test.ts'],
    [
      [
        'any value of a flag counts',
        "typeof chosen === 'boolean' ? chosen",
        'chosen !== undefined ? Boolean(chosen)',
      ],
    ],
  ),
  ...inFile(
    'migrations/0032_run_guard.sql',
    ['test/store/run-guard.test.ts', 'test/store/migrations.test.ts'],
    [
      [
        'an end without its event stops a merge',
        "coalesce(NEW.terminal_event_id, '') END\n  WHERE run_id",
        'NEW.terminal_event_id END\n  WHERE run_id',
      ],
      [
        'the migration guards sessions of other devices',
        "WHERE device_id = (SELECT value ->> '$' FROM settings WHERE key = 'device_id')",
        'WHERE device_id IS NOT NULL',
      ],
    ],
  ),
  ...inFile(
    'migrations/0035_unique_values.sql',
    ['test/store/unique-rows.test.ts'],
    [
      [
        'the message id of an ended event is free again',
        'AND message_id = NEW.message_id AND id <> NEW.id',
        "AND message_id = NEW.message_id AND status = 'pending' AND id <> NEW.id",
      ],
    ],
  ),
  ...inFile(
    'src-main/engine/ownership/after-merge.ts',
    ['test/engine/wake.test.ts'],
    [
      [
        'a new owner does not look again at what it has seen',
        '  context.stores.consumerWakes.forgetSeen(workflowId);\n',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-shared/start-request.ts',
    ['test/shared/ids.test.ts'],
    [
      [
        'two devices check a file in one session',
        '`validate:${deviceId}:${sourceSha}`',
        '`validate:${deviceId.slice(0, 0)}:${sourceSha}`',
      ],
    ],
  ),
];
