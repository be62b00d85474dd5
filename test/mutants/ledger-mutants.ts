// Mutants of the ledger: each removes one durable step or moves it to the wrong place.
import type { Mutant } from '#test/mutants/mutant.ts';

const EFFECTS = 'src-main/engine/runs/effects.ts';
const LEDGER = 'src-main/engine/runs/effect-ledger.ts';
const COMMIT_RUN = 'src-main/engine/runs/commit-run.ts';
const CONSUMER = 'src-main/engine/runs/consumer-run.ts';
const PRODUCER = 'src-main/engine/runs/producer-run.ts';
const CONTINUATION = 'src-shared/machines/continuation.ts';
const CONTINUE_RUN = 'src-main/engine/continuation/continue-run.ts';
const RECOVERY = 'src-main/engine/continuation/recovery.ts';
const RESOLVE = 'src-main/engine/decisions/carry-out-resolution.ts';
const FAILURE = 'src-main/engine/runs/failure.ts';
const QUEUE = 'src-main/store/sqlite/commit-queue.ts';
const SESSION = 'src-main/engine/runs/session.ts';
const NEW_RUN = 'src-main/engine/runs/continue-in-new-run.ts';
const DETECT = 'src-main/engine/detect-incidents.ts';
const AFTER_MERGE = 'src-main/engine/ownership/after-merge.ts';
const HAND_OVER = 'src-main/engine/ownership/ownership.ts';
const OWNERSHIP = 'src-main/store/tables/ownership-claims.ts';
const TAKEN_OVER = 'src-shared/takeover-precedence.ts';
const DATABASE = 'src-main/store/sqlite/database.ts';
const GUARDED_UPDATE = 'src-main/store/sqlite/guarded-update.ts';
const EVENTS = 'src-main/store/tables/events.ts';
const MUTATIONS = 'src-main/store/tables/mutations.ts';
const WAL_FSYNC = 'src-main/store/sqlite/wal-fsync.ts';
const THREAD = 'src-main/sandbox/thread.ts';
const PHASE_CALLS = 'src-main/engine/runs/phase-calls.ts';
const APPLY = 'src-main/sync/changes/apply.ts';

export const LEDGER_MUTANTS: readonly Mutant[] = [
  {
    name: 'doubt is written over what the maker wrote',
    file: 'src-main/engine/continuation/continue-run.ts',
    find: "return isMaker ? 'recovered' : 'owner';",
    replace: "return isMaker ? 'maker' : 'owner';",
    tests: ['test/engine/power-cut.test.ts'],
  },
  // Before the first byte is sent.
  {
    name: 'in_flight is not fsynced (engine)',
    file: LEDGER,
    find: 'await commits.commitDurably(',
    replace: 'await commits.commit(',
  },
  {
    name: 'in_flight is not fsynced (commit queue)',
    file: QUEUE,
    find: 'return this.#submit(work, true);',
    replace: 'return this.#submit(work, false);',
  },
  {
    name: 'in_flight is not fsynced (database)',
    file: DATABASE,
    find: 'return { result, onDisk: this.#fsyncAll(isAlone) };',
    replace: 'return { result, onDisk: Promise.resolve() };',
  },
  {
    name: 'a durable commit resolves before its fsync',
    file: QUEUE,
    find: 'if (item.isDurable) onDisk',
    replace: 'if (!item.work) onDisk',
  },
  {
    name: 'in_flight is never written',
    file: LEDGER,
    find: 'const marked = stores.mutations.markInFlight(toNewMutation(run), call);',
    replace: "const marked = { type: 'moved' as const, message: '' };",
  },
  {
    name: 'in_flight is written after the call',
    file: EFFECTS,
    find: `const begun = await this.#ledger.begin(run, effect, witness);
    if (begun.type !== 'send') return begun;
    // Bound again: a grant that was revoked during the commit is not used.
    const now = this.#toolsOf(handler, request.policy);
    return this.#send(now, run, effect, 'maker', { ...request, ...begun });`,
    replace: `this.#context.probe('send:before');
    const sending = { maySend: () => null, wasSentBefore: false };
    const early = await tools.mutate(effect, request.visit, sending);
    this.#context.probe('send:after');
    const begun = await this.#ledger.begin(run, effect);
    return begun.type === 'send' ? this.#ledger.record(run, early, 'maker') : begun;`,
  },
  {
    name: 'an effect that is already in flight is sent again',
    file: MUTATIONS,
    find: "return this.move(id, { type: 'send' });",
    replace: "return { type: 'moved', state: { status: 'in_flight' } };",
  },
  {
    name: 'a known effect is not answered from the ledger',
    file: LEDGER,
    find: 'const known = this.#answerFromLedger(run, effect, others);',
    replace: 'const known = undefined;',
  },
  {
    name: 'an effect is sent while another run has it open',
    file: LEDGER,
    find: "['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),",
    replace: "state.status === 'pending',",
  },
  {
    name: 'a failed effect blocks the next attempt',
    file: LEDGER,
    find: "['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),",
    replace: "['in_flight', 'needs_reconcile', 'indeterminate', 'failed'].includes(state.status),",
  },
  // The outcome.
  {
    name: 'a refused resend counts as proof that the first send failed',
    file: EFFECTS,
    find: "if (outcome.type !== 'failed' && outcome.type !== 'not_sent') return outcome;",
    replace: 'if (outcome.type) return outcome;',
  },
  {
    name: 'an ambiguous outcome counts as failed',
    file: LEDGER,
    find: 'if (doubted) stores.mutations.move(id, { ...doubted, cost }, side);',
    replace: `stores.mutations.move(id, { type: 'fail', error }, side);
          if (id) return { type: 'failed', errorType: 'network', error };`,
  },
  {
    name: 'an ambiguous outcome does not suspend the run',
    file: LEDGER,
    find: `  #suspend(run: HandlerRun, error: string, side: EffectSide, cost = 0): void {`,
    replace: `  #suspend(run: HandlerRun, error: string, side: EffectSide, cost = 0): void {
    if (error) return;`,
  },
  {
    name: 'an applied outcome is not recorded',
    file: LEDGER,
    find: "return this.#applied(run, outcome.result, side, outcome.cost);\n        case 'failed':",
    replace: "return { type: 'applied', result: outcome.result };\n        case 'failed':",
  },
  {
    name: 'an applied outcome moves the run and not the mutation',
    file: LEDGER,
    find: "stores.mutations.move(mutationId(run.id), { type: 'apply', result, cost }, side);",
    replace: '',
  },
  {
    name: 'check: unknown counts as did not happen',
    file: LEDGER,
    find: 'const doubt = afterUnclear(known, now);',
    replace: `const doubt = afterUnclear(known, now);
      if (error) return { type: 'fail', error };`,
  },
  {
    name: 'check: did not happen counts as happened',
    file: LEDGER,
    find: 'stores.mutations.move(id, means, side);',
    replace:
      "if (means.type === 'fail') return this.#applied(run, null, side);\n      stores.mutations.move(id, means, side);",
  },
  // Checkpoint and commit.
  {
    name: 'the checkpoint does not reserve its events',
    file: CONSUMER,
    find: "if (taken.type !== 'moved') throw new Refused(taken.message);",
    replace: "if (taken.type === 'moved') stores.events.release(ids, made.id);",
  },
  {
    name: 'the commit does not consume its events',
    file: COMMIT_RUN,
    find: "events.move(eventId, { type: 'consume', runId: run.id });",
    replace: '',
  },
  {
    name: 'the commit is split: events are consumed before the run commits',
    file: CONSUMER,
    find: "    probe('commit:before');\n",
    replace: `    probe('commit:before');
    await commits.commit(() => {
      for (const { eventId } of checkpoint.reservations) {
        this.#context.stores.events.move(eventId, { type: 'consume', runId: run.id });
      }
    });
`,
  },
  {
    name: 'the commit is split: publishes come later',
    file: COMMIT_RUN,
    find: '  publishOutput(context, done);\n',
    replace: '  setImmediate(() => context.store.db.write(() => publishOutput(context, done)));\n',
  },
  {
    name: 'a producer advances its schedule before its commit',
    file: PRODUCER,
    find: "  probe('commit:before');\n",
    replace: "  probe('commit:before');\n  store.db.write(() => options.onCommit());\n",
  },
  {
    name: 'one failed item fails its whole group commit',
    file: QUEUE,
    find: 'if (hasItemThrown && items.length > 1)',
    replace: 'if (items.length < 1)',
  },
  {
    name: 'a group whose COMMIT failed is written again',
    file: QUEUE,
    find: 'if (hasItemThrown && items.length > 1)',
    replace: 'if (items.length > 1)',
  },
  {
    name: 'a single durable commit does not fsync',
    file: WAL_FSYNC,
    find: '    fsyncSync();\n',
    replace: '',
  },
  {
    name: 'a session that is no longer active continues',
    file: SESSION,
    find: 'if (!isOurs) throw new SessionLost(this.runId);',
    replace: 'void isOurs;',
  },
  // Recovery.
  {
    name: 'recovery sends again an effect that was in flight',
    file: CONTINUATION,
    find: "  in_flight: 'check',\n  applied: 'continue_in_new_run',",
    replace: "  in_flight: 'start_over',\n  applied: 'continue_in_new_run',",
  },
  {
    name: 'recovery starts over after the effect',
    file: CONTINUATION,
    find: "    case 'after_effect':\n      return 'continue_in_new_run';\n    case 'suspended_before':",
    replace: "    case 'after_effect':\n      return 'start_over';\n    case 'suspended_before':",
  },
  {
    name: 'recovery leaves reserved events with the ended run',
    file: NEW_RUN,
    find: 'events.release(reserved, run.id);\n    events.reserve(reserved, successor.id);',
    replace: '',
  },
  {
    name: 'recovery releases events whose effect was applied',
    file: NEW_RUN,
    find: 'events.reserve(reserved, successor.id);',
    replace: '',
  },
  {
    name: 'recovery leaves sessions open',
    file: RECOVERY,
    find: 'if (session.deviceId !== store.deviceId || session.workflowId !== workflowId) continue;',
    replace: 'if (session.deviceId === store.deviceId) continue;',
  },
  {
    name: 'recovery does not check an effect that was sent again',
    file: CONTINUATION,
    find: "if (effect === 'failed') return 'start_over';\n      return effect === 'in_flight' ? 'check' : 'wait';",
    replace: "if (effect === 'failed') return 'start_over';\n      return 'wait';",
  },
  {
    name: 'recovery does not start over a run whose effect failed',
    file: CONTINUATION,
    find: "      if (effect === 'failed') return 'start_over';\n",
    replace: '',
  },
  {
    name: 'a run that starts over does not release its events',
    file: FAILURE,
    find: 'if (reserved.length > 0) stores.events.release(reserved, run.id);',
    replace: '',
  },
  // Settling.
  {
    name: 'a resolution is carried out on a settled effect',
    file: RESOLVE,
    find: "if (state.status !== 'indeterminate' || state.resolved) {",
    replace: "if (state.status === 'pending') {",
  },
  {
    name: 'settled as failed: the run is not ended',
    file: CONTINUATION,
    find: "      return 'start_over_now';\n    case 'in_flight':",
    replace: "      return 'wait';\n    case 'in_flight':",
  },
  {
    name: 'settled as applied: the run does not continue',
    file: CONTINUATION,
    find: "return isOurs ? 'continue_in_place' : 'continue_in_new_run';\n    case 'failed':",
    replace: "return 'wait';\n    case 'failed':",
  },
  {
    name: 'settled as skipped: the events are released',
    file: RESOLVE,
    find: "stores.events.move(event.id, { type: 'skip', reason: 'by_person' });",
    replace: 'stores.events.release([event.id], run.id);',
  },
  // Ownership, and the caches it depends on.
  {
    name: 'the ownership fence is not checked before sending',
    file: LEDGER,
    find: `      if (!holdsClaim()) return NOT_OWNER;`,
    replace: '',
  },
  {
    name: 'the ownership fence ignores a higher epoch',
    file: OWNERSHIP,
    find: 'AND (epoch > ? OR device_id < ?))`,',
    replace: 'AND (epoch > ? + 1000 OR device_id < ?))`,',
  },
  {
    name: 'the fence reads a cache from before the merge',
    file: APPLY,
    find: '  db.invalidateCaches();\n',
    replace: '',
  },
  {
    name: 'the cache survives a write to its table',
    file: DATABASE,
    find: 'if (changes > 0) this.#caches.invalidate(sql);',
    replace: '',
  },
  {
    name: 'the cache survives a rollback',
    file: DATABASE,
    find: `      this.#caches.invalidateAll();
      this.#isWriting = false;`,
    replace: '      this.#isWriting = false;',
  },
  {
    name: 'the cache survives the rollback of a savepoint',
    file: DATABASE,
    find: `      this.#caches.invalidateAll();
      if (this.#sqlite.inTransaction) {`,
    replace: '      if (this.#sqlite.inTransaction) {',
  },
  {
    name: 'a row moves from its cached state, although its state has changed',
    file: GUARDED_UPDATE,
    find: '[`${table.column} = ?`,',
    replace: "['? IS NOT NULL',",
  },
  {
    name: 'a row moves from its cached state, although a later owner has written to it',
    file: GUARDED_UPDATE,
    find: '`${name} IS ?`',
    replace: '`(${name} IS ? OR true)`',
  },
  {
    name: 'a session reports after its device lost ownership',
    file: SESSION,
    find: 'throw new OwnershipLost(workflowId);',
    replace: 'void OwnershipLost;',
  },
  {
    name: 'a device that lost ownership releases the events of its run',
    file: CONSUMER,
    find: `      if (this.#isOwnershipLost()) {
        endRunAsMaker(this.#context, run, cost);
        return 'failed';
      }`,
    replace: '      void endRunAsMaker;',
  },
  {
    name: 'a released workflow is not drained',
    file: HAND_OVER,
    find: 'if (!this.#lanes.isBusy(workflowId)) {',
    replace: 'if (workflowId) {',
  },
  // Take-over of open runs.
  {
    name: 'take-over: in flight starts over',
    file: CONTINUATION,
    find: "  in_flight: 'mark_unknown',\n  applied: 'continue_in_new_run',\n  failed: 'start_over',\n  needs_reconcile: 'mark_unknown',\n  indeterminate: 'suspend',",
    replace:
      "  in_flight: 'start_over',\n  applied: 'continue_in_new_run',\n  failed: 'start_over',\n  needs_reconcile: 'mark_unknown',\n  indeterminate: 'suspend',",
  },
  {
    name: 'take-over: in flight is not marked as unknown',
    file: CONTINUE_RUN,
    find: '      markUnknown(context, run, reason);\n      return suspend(context, run, reason);',
    replace: '      return suspend(context, run, reason);',
  },
  {
    name: 'take-over: a run whose effect was applied starts over',
    file: CONTINUATION,
    find: "    case 'after_effect':\n      return 'continue_in_new_run';\n    case 'suspended_after':",
    replace: "    case 'after_effect':\n      return 'start_over';\n    case 'suspended_after':",
  },
  {
    name: 'take-over: later progress of the old owner is hidden',
    file: TAKEN_OVER,
    find: 'return isOvertaken ? made : taken;',
    replace: 'return isOvertaken && !taken ? made : taken;',
  },
  {
    name: 'take-over: an outcome that the maker learned is ignored',
    file: TAKEN_OVER,
    find: "return earlier.status === 'applied' || earlier.status === 'failed' ? earlier : later;",
    replace: 'return later;',
  },
  {
    name: 'an outcome known only to the maker does not prevent a resend',
    file: LEDGER,
    find: '.flatMap(({ state, made, stateOfMaker }) => [state, made, stateOfMaker])',
    replace: '.flatMap(({ state }) => [state])',
  },
  {
    name: 'a device that lost ownership ends a run in flight',
    file: CONTINUATION,
    find: "  in_flight: 'mark_unknown',\n  applied: 'record_applied',",
    replace: "  in_flight: 'end',\n  applied: 'record_applied',",
  },
  {
    name: 'a run whose consumer is gone is committed',
    file: CONSUMER,
    find: 'if (!Object.hasOwn(script.config.consumers, name)) return this.#waitForHandler(run);',
    replace: '',
  },
  {
    name: 'double work is not detected',
    file: DETECT,
    find: 'for (const finding of findings) {',
    replace: 'for (const finding of findings.slice(0, 0)) {',
  },
  {
    name: 'events are not repaired after a merge',
    file: AFTER_MERGE,
    find: 'if (arrived.isComplete) stores.events.repair(id);',
    replace: 'if (arrived.isComplete) continue;',
  },
  {
    name: 'the question of a run that starts over can still be answered',
    file: CONTINUE_RUN,
    find: 'withdrawQuestion(context, run, reason);',
    replace: '',
  },
  {
    name: 'a run that was stopped before its effect counts as a failure',
    file: CONSUMER,
    find: 'return this.#startOver(run, reason);',
    replace: "return this.#fail(run, { errorType: 'internal', error: reason }, []);",
  },
  {
    name: 'a paused workflow does not check its effects',
    file: 'src-main/engine/lane/lane.ts',
    find: "if (work?.type === 'check') return",
    replace: "if (work?.type === 'continue') return",
  },
  // Phases that start over in another thread.
  {
    name: 'a phase that is moved makes its calls again',
    file: THREAD,
    find: 'const known = journal.at(running.asked);',
    replace: 'const known = journal.at(Infinity);',
  },
  {
    name: 'the early row of a run is lost when its write is repeated',
    file: CONSUMER,
    find: '(row = stores.handlerRuns.get(runId) ?? insert(',
    replace: '(row ??= insert(',
  },
  {
    name: 'a failed run forgets the time that its consumer asked for',
    file: FAILURE,
    find: 'return { ...NO_WAKE, wakeAt };',
    replace: 'return { ...NO_WAKE, wakeAt: wakeAt && null };',
  },
  {
    name: 'a run reads before it is in the history',
    file: PHASE_CALLS,
    find: 'await this.#options.beforeRead?.(this.peeked);',
    replace: '',
  },
  {
    name: 'a run reserves an event whose content changed after prepare read it',
    file: EVENTS,
    find: 'if (seen.some(({ id, content }) => this.#contentOf(id) !== content)) {',
    replace: 'if (seen.some(({ content }) => content === undefined)) {',
  },
  // Disk failures.
  {
    name: 'a failed fsync is retried without recovering lost pages',
    file: WAL_FSYNC,
    find: 'this.#options.recover?.();',
    replace: '',
  },
  {
    name: 'a durable write does not recover after a failed fsync',
    file: DATABASE,
    find: 'this.#wal.recover();',
    replace: '',
  },
  {
    name: 'recovery counts as done while readers block the checkpoint',
    file: DATABASE,
    find: 'if (busy === 0) {',
    replace: 'if (busy >= 0) {',
  },
];
