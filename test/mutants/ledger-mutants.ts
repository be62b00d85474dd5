// Ways to break the ledger: each takes away one durable step, or puts it in the wrong place. The
// tests must notice every one of them (`npm run mutants`).

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

const EFFECTS = 'src-main/engine/effects.ts';
const CONSUMER = 'src-main/engine/consumer-run.ts';
const PRODUCER = 'src-main/engine/producer-run.ts';
const RECOVERY = 'src-main/engine/recovery.ts';
const RESOLVE = 'src-main/engine/resolve.ts';
const FAILURE = 'src-main/engine/failure.ts';
const QUEUE = 'src-main/engine/commit-queue.ts';
const SESSION = 'src-main/engine/session.ts';
const DATABASE = 'src-main/store/database.ts';
const MUTATIONS = 'src-main/store/mutations.ts';

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
    find: 'return { result, onDisk: this.#disk.sync() };',
    replace: 'return { result, onDisk: Promise.resolve() };',
  },
  {
    name: 'nobody waits for the disk',
    file: QUEUE,
    find: 'if (!item.isDurable) settle(',
    replace: 'if (item.work) settle(',
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
    return begun.type === 'send' ? this.#send(tools, run, effect) : begun;`,
    replace: `this.#context.probe('send:before');
    const early = await tools.mutate(effect);
    this.#context.probe('send:after');
    const begun = await this.#begin(run, effect);
    return begun.type === 'send' ? this.#record(run, early) : begun;`,
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
    find: "stores.mutations.move(id, { type: 'doubt', error: outcome.error });",
    replace: `stores.mutations.move(id, { type: 'fail', error: outcome.error });
          if (id) return { type: 'failed', errorType: 'network', error: outcome.error };`,
  },
  {
    name: 'an ambiguous answer does not stop the workflow',
    file: EFFECTS,
    find: `  #suspend(run: HandlerRun, error: string): void {`,
    replace: `  #suspend(run: HandlerRun, error: string): void {
    if (error) return;`,
  },
  {
    name: 'the outcome is not written',
    file: EFFECTS,
    find: "return this.#applied(run, outcome.result);\n        case 'failed':",
    replace: "return { type: 'applied', result: outcome.result };\n        case 'failed':",
  },
  {
    name: 'the outcome is written without the ledger',
    file: EFFECTS,
    find: "stores.mutations.move(mutationId(run.id), { type: 'apply', result });",
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
    find: "stores.mutations.move(id, { type: 'fail', error });",
    replace: 'if (error) return this.#applied(run, null);',
  },
  // Checkpoint and commit.
  {
    name: 'the checkpoint does not reserve its events',
    file: CONSUMER,
    find: "if (taken.type !== 'moved') throw new ReservationRefused(taken.message);",
    replace: "if (taken.type === 'moved') stores.events.release(ids, made.id);",
  },
  {
    name: 'events are not consumed',
    file: CONSUMER,
    find: '} else events.consume(ours, run.id);',
    replace: '}',
  },
  {
    name: 'the commit is split: events first, run later',
    file: CONSUMER,
    find: "    probe('commit:before');\n    const problem = await commits.commit(() => {",
    replace:
      "    probe('commit:before');\n    await commits.commit(() => this.#finishEvents(run, outcome));\n    const problem = await commits.commit(() => {",
  },
  {
    name: 'the commit is split: publishes first, the rest later',
    file: CONSUMER,
    find: "    probe('commit:before');\n    const problem = await commits.commit(() => {",
    replace:
      "    probe('commit:before');\n    await commits.commit(() => publishAll(this.#context, run, published, this.#causesOf(checkpoint)));\n    const problem = await commits.commit(() => {",
  },
  {
    name: 'a producer moves its schedule although its commit failed',
    file: PRODUCER,
    find: "  probe('commit:before');\n",
    replace: "  probe('commit:before');\n  store.db.write(() => options.onCommit());\n",
  },
  {
    name: 'a part of a group commit that failed is kept',
    file: QUEUE,
    find: 'return { result: this.#db.write(work) };',
    replace: 'return { result: work() };',
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
      "    case 'in_flight':\n      mutations.move(mutationId(run.id), { type: 'fail', error: CRASHED });\n      startOver(context, run);",
  },
  {
    name: 'recovery starts over after the effect',
    file: RECOVERY,
    find: 'function goOnInAnother(context: EngineContext, run: HandlerRun): void {',
    replace:
      'function goOnInAnother(context: EngineContext, run: HandlerRun): void {\n  if (run) return startOver(context, run);',
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
    find: `        result: resolution.result,
      });
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });`,
    replace: `        result: resolution.result,
      });`,
  },
  {
    name: 'skip: the events wait on',
    file: RESOLVE,
    find: "stores.events.move(event.id, { type: 'skip', reason: 'by_person' });",
    replace: 'stores.events.release([event.id], run.id);',
  },
];
