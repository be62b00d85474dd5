// Ways to break the ledger: each takes away one durable step, or puts it in the wrong place. The
// tests must notice every one of them (`npm run mutants`).

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

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
const MUTATIONS = 'src-main/store/tables/mutations.ts';
const WAL_FSYNC = 'src-main/store/sqlite/wal-fsync.ts';
const APPLY = 'src-main/sync/changes/apply.ts';

export const MUTANTS: readonly Mutant[] = [
  // The step before the first byte.
  {
    name: 'in flight is not synced to disk (engine)',
    file: LEDGER,
    find: 'await commits.commitDurably(',
    replace: 'await commits.commit(',
  },
  {
    name: 'in flight is not synced to disk (queue)',
    file: QUEUE,
    find: 'return this.#submit(work, true);',
    replace: 'return this.#submit(work, false);',
  },
  {
    name: 'in flight is not synced to disk (store)',
    file: DATABASE,
    find: 'return { result, onDisk: this.#wal.fsync(isAlone) };',
    replace: 'return { result, onDisk: Promise.resolve() };',
  },
  {
    name: 'nobody waits for the disk',
    file: QUEUE,
    find: 'if (item.isDurable) onDisk',
    replace: 'if (!item.work) onDisk',
  },
  {
    name: 'in flight is never written',
    file: LEDGER,
    find: 'const marked = stores.mutations.markInFlight(toNewMutation(run), toCall(effect));',
    replace: "const marked = { type: 'moved' as const, message: '' };",
  },
  {
    name: 'in flight is written after the call',
    file: EFFECTS,
    find: `const begun = await this.#ledger.begin(run, effect);
    if (begun.type !== 'send') return begun;
    return this.#send(tools, run, effect, 'maker', request.onApplied);`,
    replace: `this.#context.probe('send:before');
    const early = await tools.mutate(effect);
    this.#context.probe('send:after');
    const begun = await this.#ledger.begin(run, effect);
    return begun.type === 'send' ? this.#ledger.record(run, early, 'maker') : begun;`,
  },
  {
    name: 'whoever finds it in flight sends too',
    file: MUTATIONS,
    find: "return this.move(id, { type: 'send' });",
    replace: "return { type: 'moved', state: { status: 'in_flight' } };",
  },
  {
    name: 'the ledger is not asked for a known effect',
    file: LEDGER,
    find: 'const known = this.#answerFromLedger(run, effect);',
    replace: 'const known = undefined;',
  },
  {
    name: 'an effect that is open elsewhere is sent beside it',
    file: LEDGER,
    find: "['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),",
    replace: "state.status === 'pending',",
  },
  {
    name: 'an effect that did not happen blocks the next attempt',
    file: LEDGER,
    find: "['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),",
    replace: "['in_flight', 'needs_reconcile', 'indeterminate', 'failed'].includes(state.status),",
  },
  // What came of it.
  {
    name: 'an ambiguous answer counts as failed',
    file: LEDGER,
    find: "stores.mutations.move(id, { type: 'doubt', error: outcome.error }, side);",
    replace: `stores.mutations.move(id, { type: 'fail', error: outcome.error }, side);
          if (id) return { type: 'failed', errorType: 'network', error: outcome.error };`,
  },
  {
    name: 'an ambiguous answer does not stop the workflow',
    file: LEDGER,
    find: `  #suspend(run: HandlerRun, error: string, side: Side): void {`,
    replace: `  #suspend(run: HandlerRun, error: string, side: Side): void {
    if (error) return;`,
  },
  {
    name: 'the outcome is not written',
    file: LEDGER,
    find: "return this.#applied(run, outcome.result, side);\n        case 'failed':",
    replace: "return { type: 'applied', result: outcome.result };\n        case 'failed':",
  },
  {
    name: 'the outcome is written without the ledger',
    file: LEDGER,
    find: "stores.mutations.move(mutationId(run.id), { type: 'apply', result }, side);",
    replace: '',
  },
  {
    name: 'reconcile: unknown counts as not happened',
    file: LEDGER,
    find: "case 'did_not_happen': {",
    replace: "case 'unknown':\n        case 'did_not_happen': {",
  },
  {
    name: 'reconcile: not happened counts as happened',
    file: LEDGER,
    find: "stores.mutations.move(id, { type: 'fail', error }, side);",
    replace: 'if (error) return this.#applied(run, null, side);',
  },
  // Checkpoint and commit.
  {
    name: 'the checkpoint does not reserve its events',
    file: CONSUMER,
    find: "if (taken.type !== 'moved') throw new Refused(taken.message);",
    replace: "if (taken.type === 'moved') stores.events.release(ids, made.id);",
  },
  {
    name: 'events are not consumed',
    file: COMMIT_RUN,
    find: "events.move(eventId, { type: 'consume', runId: run.id });",
    replace: '',
  },
  {
    name: 'the commit is split: events first, run later',
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
    name: 'a producer moves its schedule although its commit failed',
    file: PRODUCER,
    find: "  probe('commit:before');\n",
    replace: "  probe('commit:before');\n  store.db.write(() => options.onCommit());\n",
  },
  {
    name: 'a part of a group commit that failed takes the others with it',
    file: QUEUE,
    find: 'if (hasItemThrown && items.length > 1)',
    replace: 'if (items.length < 1)',
  },
  {
    name: 'what a commit may have kept is written again',
    file: QUEUE,
    find: 'if (hasItemThrown && items.length > 1)',
    replace: 'if (items.length > 1)',
  },
  {
    name: 'who is alone does not wait for the disk at all',
    file: WAL_FSYNC,
    find: '    fsyncSync();\n',
    replace: '',
  },
  {
    name: 'a session that lost its lane goes on',
    file: SESSION,
    find: 'if (!isOurs) throw new SessionLost(this.runId);',
    replace: 'void isOurs;',
  },
  // Recovery.
  {
    name: 'recovery sends again what was in flight',
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
    name: 'recovery leaves the events with the run that ended',
    file: NEW_RUN,
    find: 'events.release(reserved, run.id);\n    events.reserve(reserved, successor.id);',
    replace: '',
  },
  {
    name: 'recovery lets go of events that had their effect',
    file: NEW_RUN,
    find: 'events.reserve(reserved, successor.id);',
    replace: '',
  },
  {
    name: 'recovery leaves sessions open',
    file: RECOVERY,
    find: 'if (!isOurs || (workflowId !== undefined && session.workflowId !== workflowId)) continue;',
    replace: 'if (isOurs) continue;',
  },
  {
    name: 'recovery forgets an effect that was sent again',
    file: CONTINUATION,
    find: "if (effect === 'failed') return 'start_over';\n      return effect === 'in_flight' ? 'check' : 'wait';",
    replace: "if (effect === 'failed') return 'start_over';\n      return 'wait';",
  },
  {
    name: 'recovery forgets a run whose effect did not happen',
    file: CONTINUATION,
    find: "      if (effect === 'failed') return 'start_over';\n",
    replace: '',
  },
  {
    name: 'a run that starts over keeps its events',
    file: FAILURE,
    find: 'if (reserved.length > 0) stores.events.release(reserved, run.id);',
    replace: '',
  },
  // What people decide.
  {
    name: 'a decision is carried out although it is settled',
    file: RESOLVE,
    find: "if (state.status !== 'indeterminate' || state.resolved) {",
    replace: "if (state.status === 'pending') {",
  },
  {
    name: 'it did not happen: its run is not ended',
    file: CONTINUATION,
    find: "      return 'start_over_now';\n    case 'in_flight':",
    replace: "      return 'wait';\n    case 'in_flight':",
  },
  {
    name: 'it happened: the run does not go on',
    file: CONTINUATION,
    find: "return isOurs ? 'continue_in_place' : 'continue_in_new_run';\n    case 'failed':",
    replace: "return 'wait';\n    case 'failed':",
  },
  {
    name: 'skip: the events wait on',
    file: RESOLVE,
    find: "stores.events.move(event.id, { type: 'skip', reason: 'by_person' });",
    replace: 'stores.events.release([event.id], run.id);',
  },
  // Who may act.
  {
    name: 'the fence is not looked at before the effect',
    file: LEDGER,
    find: `      // The fence is read in the write that allows sending.
      if (!stores.ownership.holds(run.workflowId, run.epoch)) return NOT_OWNER;`,
    replace: '',
  },
  {
    name: 'the fence does not see a higher epoch',
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
    find: 'WHERE id = ? AND ${table.column} = ?',
    replace: 'WHERE id = ? AND ? IS NOT NULL',
  },
  {
    name: 'a row moves from its cached state, although a later owner has written to it',
    file: GUARDED_UPDATE,
    find: "' AND takeover IS ?'",
    replace: "' AND (takeover IS ? OR true)'",
  },
  {
    name: 'a session reports although its claim is lost',
    file: SESSION,
    find: 'throw new OwnershipLost(workflowId);',
    replace: 'void OwnershipLost;',
  },
  {
    name: 'whoever lost a workflow gives its events back itself',
    file: CONSUMER,
    find: `      if (this.#isOwnershipLost()) {
        endRunAsMaker(this.#context, run);
        return 'failed';
      }`,
    replace: '      void endRunAsMaker;',
  },
  {
    name: 'a workflow that is let go of is not drained',
    file: HAND_OVER,
    find: 'if (!this.#lanes.isBusy(workflowId)) {',
    replace: 'if (workflowId) {',
  },
  // What another device left open.
  {
    name: 'take-over: in flight starts over',
    file: CONTINUATION,
    find: "  in_flight: 'mark_unknown',\n  applied: 'continue_in_new_run',\n  failed: 'start_over',\n  needs_reconcile: 'mark_unknown',\n  indeterminate: 'suspend',",
    replace:
      "  in_flight: 'start_over',\n  applied: 'continue_in_new_run',\n  failed: 'start_over',\n  needs_reconcile: 'mark_unknown',\n  indeterminate: 'suspend',",
  },
  {
    name: 'take-over: in flight is left as it is',
    file: CONTINUE_RUN,
    find: '      markUnknown(context, run, reason);\n      return suspend(context, run, reason);',
    replace: '      return suspend(context, run, reason);',
  },
  {
    name: 'take-over: what had its effect starts over',
    file: CONTINUATION,
    find: "    case 'after_effect':\n      return 'continue_in_new_run';\n    case 'suspended_after':",
    replace: "    case 'after_effect':\n      return 'start_over';\n    case 'suspended_after':",
  },
  {
    name: 'take-over: what the old owner did since is hidden',
    file: TAKEN_OVER,
    find: 'return isOvertaken ? made : taken;',
    replace: 'return isOvertaken && !taken ? made : taken;',
  },
  {
    name: 'take-over: what the maker learnt does not count',
    file: TAKEN_OVER,
    find: "return made.status === 'applied' || made.status === 'failed' ? made : taken;",
    replace: 'return taken;',
  },
  {
    name: 'what is known to have happened is sent again',
    file: LEDGER,
    find: '.flatMap(({ state, made }) => [state, made])',
    replace: '.flatMap(({ state }) => [state])',
  },
  {
    name: 'whoever lost a workflow forgets what it had in flight',
    file: CONTINUATION,
    find: "  in_flight: 'mark_unknown',\n  applied: 'record_applied',",
    replace: "  in_flight: 'end',\n  applied: 'record_applied',",
  },
  {
    name: 'nobody looks for what two owners did',
    file: DETECT,
    find: 'for (const finding of findings) {',
    replace: 'for (const finding of findings.slice(0, 0)) {',
  },
  {
    name: 'what a merge brought is not repaired',
    file: AFTER_MERGE,
    find: 'if (isOurs) stores.events.repair(id);',
    replace: '',
  },
  // Below SQLite.
  {
    name: 'a disk that failed is asked again as if nothing was lost',
    file: WAL_FSYNC,
    find: 'this.#options.recover?.();',
    replace: '',
  },
  {
    name: 'a durable write trusts a disk that failed',
    file: DATABASE,
    find: 'this.#wal.recover();',
    replace: '',
  },
  {
    name: 'lost pages are made good while somebody reads the old ones',
    file: DATABASE,
    find: 'if (busy === 0) return;',
    replace: 'if (busy >= 0) return;',
  },
];
