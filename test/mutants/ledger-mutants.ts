// Ways to break the ledger: each takes away one durable step, or puts it in the wrong place. The
// tests must notice every one of them (`npm run mutants`).

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

const PHASE_CALLS = 'src-main/engine/phase-calls.ts';
const FORESEEN = 'src-main/engine/foreseen.ts';
const EFFECTS = 'src-main/engine/effects.ts';
const CONSUMER = 'src-main/engine/consumer-run.ts';
const PRODUCER = 'src-main/engine/producer-run.ts';
const RECOVERY = 'src-main/engine/recovery.ts';
const RESOLVE = 'src-main/engine/resolve.ts';
const FAILURE = 'src-main/engine/failure.ts';
const QUEUE = 'src-main/engine/commit-queue.ts';
const SESSION = 'src-main/engine/session.ts';
const ADOPT = 'src-main/engine/adopt.ts';
const LET_GO = 'src-main/engine/let-go.ts';
const DETECT = 'src-main/engine/detect.ts';
const AFTER_MERGE = 'src-main/engine/after-merge.ts';
const ENGINE = 'src-main/engine/engine.ts';
const OWNERSHIP = 'src-main/store/ownership.ts';
const TAKEN_OVER = 'src-shared/taken-over.ts';
const DATABASE = 'src-main/store/database.ts';
const MUTATIONS = 'src-main/store/mutations.ts';
const HANDLER_RUNS = 'src-main/store/handler-runs.ts';
const EVENTS = 'src-main/store/events.ts';
const DISK_SYNC = 'src-main/store/disk-sync.ts';
const LOG_FILE = 'scripts/crsqlite/log-file.c';
const JSON_MEMBER = 'scripts/crsqlite/json-member.c';
const APPLY = 'src-main/sync/changes/apply.ts';

export const MUTANTS: readonly Mutant[] = [
  // The step before the first byte.
  {
    name: 'in flight is not synced to disk (engine)',
    file: EFFECTS,
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
    find: 'return { result, onDisk: this.#disk.sync(isAlone) };',
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
    file: EFFECTS,
    find: 'const marked = stores.mutations.markInFlight(toNewMutation(run), toCall(effect));',
    replace: "const marked = { type: 'moved' as const, message: '' };",
  },
  {
    name: 'in flight is written after the call',
    file: EFFECTS,
    find: `const begun = await this.#begin(run, effect);
    if (begun.type !== 'send') return begun;
    return this.#send(tools, run, effect, 'maker', request.onApplied);`,
    replace: `this.#context.probe('send:before');
    const early = await tools.mutate(effect);
    this.#context.probe('send:after');
    const begun = await this.#begin(run, effect);
    return begun.type === 'send' ? this.#record(run, early, 'maker') : begun;`,
  },
  {
    name: 'whoever finds it in flight sends too',
    file: MUTATIONS,
    find: "return this.move(id, { type: 'send' });",
    replace: "return { type: 'moved', state: { status: 'in_flight' } };",
  },
  {
    name: 'the ledger is not asked for a known effect',
    file: EFFECTS,
    find: 'const known = this.#answerFromLedger(run, effect);',
    replace: 'const known = undefined;',
  },
  {
    name: 'an effect that is open elsewhere is sent beside it',
    file: EFFECTS,
    find: "['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),",
    replace: "state.status === 'pending',",
  },
  {
    name: 'an effect that did not happen blocks the next attempt',
    file: EFFECTS,
    find: "['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),",
    replace: "['in_flight', 'needs_reconcile', 'indeterminate', 'failed'].includes(state.status),",
  },
  // What came of it.
  {
    name: 'an ambiguous answer counts as failed',
    file: EFFECTS,
    find: "stores.mutations.move(id, { type: 'doubt', error: outcome.error }, side);",
    replace: `stores.mutations.move(id, { type: 'fail', error: outcome.error }, side);
          if (id) return { type: 'failed', errorType: 'network', error: outcome.error };`,
  },
  {
    name: 'an ambiguous answer does not stop the workflow',
    file: EFFECTS,
    find: `  #suspend(run: HandlerRun, error: string, side: Side): void {`,
    replace: `  #suspend(run: HandlerRun, error: string, side: Side): void {
    if (error) return;`,
  },
  {
    name: 'the outcome is not written',
    file: EFFECTS,
    find: "return this.#applied(run, outcome.result, side);\n        case 'failed':",
    replace: "return { type: 'applied', result: outcome.result };\n        case 'failed':",
  },
  {
    name: 'the outcome is written without the ledger',
    file: EFFECTS,
    find: "stores.mutations.move(mutationId(run.id), { type: 'apply', result }, side);",
    replace: '',
  },
  {
    name: 'reconcile: unknown counts as not happened',
    file: EFFECTS,
    find: "case 'did_not_happen': {",
    replace: "case 'unknown':\n        case 'did_not_happen': {",
  },
  {
    name: 'reconcile: not happened counts as happened',
    file: EFFECTS,
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
    file: CONSUMER,
    find: "events.move(eventId, { type: 'consume', runId: run.id });",
    replace: '',
  },
  {
    name: 'the commit is split: events first, run later',
    file: CONSUMER,
    find: "    probe('commit:before');\n",
    replace:
      "    probe('commit:before');\n    await commits.commit(() => this.#finishEvents(run, checkpoint, outcome));\n",
  },
  {
    name: 'the commit is split: publishes first, the rest later',
    file: CONSUMER,
    find: "    probe('commit:before');\n",
    replace:
      "    probe('commit:before');\n    await commits.commit(() => publishAll(this.#context, run, published, this.#causesOf(checkpoint)));\n",
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
    find: 'if (isRefused && items.length > 1)',
    replace: 'if (items.length < 1)',
  },
  {
    name: 'what a commit may have kept is written again',
    file: QUEUE,
    find: 'if (isRefused && items.length > 1)',
    replace: 'if (items.length > 1)',
  },
  {
    name: 'who is alone does not wait for the disk at all',
    file: DISK_SYNC,
    find: '    syncNow();\n',
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
    file: RECOVERY,
    find: "    case 'in_flight':\n      doubt(context, scripts, run);",
    replace:
      "    case 'in_flight':\n      mutations.move(mutationId(run.id), { type: 'fail', error: CRASHED });\n      startOver(context, run, CRASHED);",
  },
  {
    name: 'recovery starts over after the effect',
    file: RECOVERY,
    find: 'const reserved = events.reservedBy(run.id).map(({ id }) => id);\n  const made',
    replace:
      'if (why) {\n    startOver(context, run, why);\n    return run;\n  }\n  const reserved = events.reservedBy(run.id).map(({ id }) => id);\n  const made',
  },
  {
    name: 'recovery leaves the events with the run that ended',
    file: RECOVERY,
    find: 'events.release(reserved, run.id);\n    events.reserve(reserved, successor);',
    replace: '',
  },
  {
    name: 'recovery lets go of events that had their effect',
    file: RECOVERY,
    find: 'events.reserve(reserved, successor);',
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
    file: RECOVERY,
    find: "if (status === 'in_flight') return true;",
    replace: '',
  },
  {
    name: 'recovery forgets a run whose effect did not happen',
    file: RECOVERY,
    find: "return status === 'failed' && state.phase === 'suspended' && state.reason === 'reconciliation';",
    replace: "return status === 'failed' && state.phase === 'pending';",
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
    file: RESOLVE,
    find: `      endRun(context, run, {
        errorType: 'network',
        error: 'A person said that it did not happen. It is tried anew.',
      });`,
    replace: '      void endRun;',
  },
  {
    name: 'it happened: the run does not go on',
    file: RESOLVE,
    find: `        }));
      }
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });`,
    replace: `        }));
      }`,
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
    file: EFFECTS,
    find: `      // The fence stands in the very write that makes it possible to send.
      if (!stores.ownership.holds(run.workflowId, run.epoch)) return lost();`,
    replace: '',
  },
  {
    name: 'the fence does not see a higher epoch',
    file: OWNERSHIP,
    find: 'AND (epoch > ? OR device_id < ?))`,',
    replace: 'AND (epoch > ? + 1000 OR device_id < ?))`,',
  },
  {
    name: 'the fence goes by what stood there before a merge',
    file: APPLY,
    find: '  db.forgetKept();\n',
    replace: '',
  },
  {
    name: 'what is kept outlives a write to its table',
    file: DATABASE,
    find: 'if (changes > 0) this.#kept.wrote(sql);',
    replace: '',
  },
  {
    name: 'what is kept outlives a write that was taken back',
    file: DATABASE,
    find: `      this.#kept.forgetAll();
      this.#isWriting = false;`,
    replace: '      this.#isWriting = false;',
  },
  {
    name: 'what is kept outlives a part of a write that was taken back',
    file: DATABASE,
    find: `      this.#kept.forgetAll();
      if (this.#sqlite.inTransaction) {`,
    replace: '      if (this.#sqlite.inTransaction) {',
  },
  {
    name: 'an effect is moved on from what was written last, however it stands',
    file: MUTATIONS,
    find: "WHERE id = ? AND outcome = ? AND takeover IS NULL'",
    replace: "WHERE id = ? AND ? IS NOT NULL'",
  },
  {
    name: 'an event is moved on from how it was last seen, however it stands',
    file: EVENTS,
    find: "'UPDATE events SET progress = ? WHERE id = ? AND progress = ?'",
    replace: "'UPDATE events SET progress = ? WHERE id = ? AND ? IS NOT NULL'",
  },
  {
    name: 'a run is moved on from what was written last, however it stands',
    file: HANDLER_RUNS,
    find: "WHERE id = ? AND progress = ? AND takeover IS NULL'",
    replace: "WHERE id = ? AND ? IS NOT NULL'",
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
    find: `      if (this.#isLost()) {
        endAsMaker(this.#context, run);
        return 'failed';
      }`,
    replace: '      void endAsMaker;',
  },
  {
    name: 'a workflow that is let go of is not drained',
    file: ENGINE,
    find: 'if (!lane?.isBusy) {',
    replace: 'if (lane ?? true) {',
  },
  // What another device left open.
  {
    name: 'take-over: in flight starts over',
    file: ADOPT,
    find: "    case 'in_flight':\n      return 'unknown';",
    replace: "    case 'in_flight':\n      return 'starts_over';",
  },
  {
    name: 'take-over: in flight is left as it is',
    file: ADOPT,
    find: "stores.mutations.move(mutationId(run.id), { type: 'give_up', error: MAYBE });",
    replace: '',
  },
  {
    name: 'take-over: what had its effect starts over',
    file: ADOPT,
    find: "    case 'mutated':\n    case 'emitting':\n      return 'goes_on';",
    replace: "    case 'mutated':\n    case 'emitting':\n      return 'starts_over';",
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
    file: EFFECTS,
    find: '.flatMap(({ state, made }) => [state, made])',
    replace: '.flatMap(({ state }) => [state])',
  },
  {
    name: 'whoever lost a workflow forgets what it had in flight',
    file: LET_GO,
    find: "case 'in_flight':",
    replace: "case 'in_flight':\n      return endAsMaker(context, run);",
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
  {
    name: 'what was foreseen counts whatever came',
    file: PHASE_CALLS,
    find: 'const isTrue = JSON.stringify(this.given()) === this.#foreseen?.text;',
    replace: 'const isTrue = this.given() !== undefined;',
  },
  {
    name: 'what was only foreseen is answered at once',
    file: PHASE_CALLS,
    find: 'if (this.#foreseen && !(await this.#foreseen.hold.promise)) {',
    replace: 'if (this.#foreseen && calls.length === 0) {',
  },
  {
    name: 'what was foreseen and given up is taken up again',
    file: FORESEEN,
    find: 'if (!this.#isDropped && isSame && ',
    replace: 'if (isSame && ',
  },
  // Below SQLite.
  {
    name: 'a disk that failed is asked again as if nothing was lost',
    file: DISK_SYNC,
    find: 'this.#disk.makeGood?.();',
    replace: '',
  },
  {
    name: 'a durable write trusts a disk that failed',
    file: DATABASE,
    find: 'this.#disk.makeGood();',
    replace: '',
  },
  {
    name: 'lost pages are made good while somebody reads the old ones',
    file: DATABASE,
    find: 'if (busy === 0) return;',
    replace: 'if (busy >= 0) return;',
  },
  {
    name: 'a commit stays in memory',
    file: LOG_FILE,
    find: 'return log->isLastOfCommit && !isHeader ? writeHeld(log) : SQLITE_OK;',
    replace: 'return SQLITE_OK;',
  },
  {
    name: 'what was given up is written over what others wrote',
    file: LOG_FILE,
    find: 'if (isLetGo && first == WRITE_LOCK && owner->log) owner->log->held = 0;',
    replace: '',
  },
  {
    name: 'pages are read before they are in the log',
    file: LOG_FILE,
    find: 'int rc = writeHeld(log);\n  return rc != SQLITE_OK ? rc : log->file->pMethods->xRead',
    replace: 'int rc = SQLITE_OK;\n  return rc != SQLITE_OK ? rc : log->file->pMethods->xRead',
  },
  {
    name: 'a log counts as folded before the disk has it',
    file: LOG_FILE,
    find: 'index[FOLDED] = owner->folded - 1;',
    replace: '',
  },
  {
    name: 'a log counts as folded though it has begun anew',
    file: LOG_FILE,
    find: ' && index[SALT] == owner->salt',
    replace: '',
  },
  {
    name: 'a log stays folded though the disk lost it',
    file: LOG_FILE,
    find: 'index[FOLDED] = 0;',
    replace: '',
  },
  {
    name: 'a log goes away before the disk has what was in it',
    file: LOG_FILE,
    find: 'if (level == SQLITE_LOCK_EXCLUSIVE) settle(database, owner);',
    replace: '',
  },
  {
    name: 'a disk that failed at a fold is trusted',
    file: DATABASE,
    find: "if (state === 'failed') this.#disk.failed();",
    replace: '',
  },
  // The columns by which every state is read and guarded.
  {
    name: 'a state is read from another text of the same length',
    file: JSON_MEMBER,
    find: 'seen->bytes == bytes && memcmp(seen->text, text, bytes) == 0',
    replace: 'seen->bytes == bytes',
  },
  {
    name: 'a member is found by the beginning of its name',
    file: JSON_MEMBER,
    find: 'member->nameBytes == bytes && ',
    replace: 'member->nameBytes >= bytes && ',
  },
  {
    name: 'a text ends at a quote that belongs to it',
    file: JSON_MEMBER,
    find: "if (!quote || quote[-1] != '\\\\') return quote;",
    replace: 'if (quote || !quote) return quote;',
  },
  {
    name: 'what is written with escapes is given with them',
    file: JSON_MEMBER,
    find: "if (memchr(from, '\\\\', to - from)) return 0;",
    replace: '',
  },
  {
    name: 'what is not plain is not there',
    file: JSON_MEMBER,
    find: 'if (!object->isPlain) return 0;',
    replace: 'if (!object->isPlain) return 1;',
  },
];
