// Mutants of the lifecycle of inputs (spec 004): leases, finalizer, waits, completion.
import type { Mutant } from '#test/mutants/mutant.ts';

const LEASES = 'src-main/store/tables/automation-leases.ts';
const COMPLETION = 'src-main/inputs/stages/write-completion.ts';
const FINALIZER = 'src-main/inputs/finalizer.ts';
const LIFECYCLE = 'src-main/input-lifecycle/input-lifecycle.ts';
const RULE = 'src-main/input-lifecycle/needs-human-rule.ts';
const FINAL_STEP = 'src-shared/inputs/final-step.ts';
const DERIVE = 'src-shared/inputs/derive-input-status.ts';
const NEEDS_HUMAN = 'src-shared/inputs/needs-human.ts';
const CHAIN = 'src-main/store/queries/input-chain.ts';

export const INPUT_END_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lease that another worker holds is taken',
    file: LEASES,
    find: 'WHERE automation_leases.lease_expires_at <= ?',
    replace: 'WHERE automation_leases.lease_expires_at > ? - 1e15',
  },
  {
    name: 'a claim does not raise the version of a lease',
    file: LEASES,
    find: 'lease_version = lease_version + 1',
    replace: 'lease_version = lease_version',
  },
  {
    name: 'a run is claimed in any status',
    file: LEASES,
    find: 'WHERE id = ? AND status IN (SELECT value FROM json_each(?))',
    replace: 'WHERE id = ? AND json_valid(?)',
  },
  {
    name: 'the completion writer ignores a lost lease',
    file: COMPLETION,
    find: 'if (!stores.automationLeases.holds(lease)) {',
    replace: 'if (!lease) {',
  },
  {
    name: 'the finalizer acts while a stage holds the lease',
    file: FINALIZER,
    find: 'if (!lease) return;',
    replace: 'if (!lease) return void this.#options.stopInput(run.inputId, step as never);',
  },
  {
    name: 'a stop under a lost lease is carried out',
    file: LIFECYCLE,
    find: 'if (lease && !stores.automationLeases.holds(lease)) return null;',
    replace: '',
  },
  {
    name: 'a reminder under a lost lease is recorded',
    file: LIFECYCLE,
    find: 'if (!stores.automationLeases.holds(lease)) return;',
    replace: '',
  },
  {
    name: 'the finalizer ends an input with an active session',
    file: FINAL_STEP,
    find: "if (session === 'active') return null;",
    replace: "if (session === 'active') return stepOfInactivity('ended');",
  },
  {
    name: 'the finalizer takes an active session for one that ended',
    file: FINALIZER,
    find: "return isActiveSession(session.state.status) ? 'active' : 'ended';",
    replace: "return 'ended';",
  },
  {
    name: 'the finalizer looks at the first session only',
    file: FINALIZER,
    find: 'const id = inputChain.lastSession(run.inputId) ?? run.session?.id ?? null;',
    replace: 'const id = run.session?.id ?? inputChain.lastSession(run.inputId);',
  },
  {
    name: 'a session that ended without completion times out',
    file: FINAL_STEP,
    find: "return { type: 'stop', as: 'failed', reason };",
    replace: "return { type: 'stop', as: 'timed_out', reason };",
  },
  {
    name: 'an input that needs a person ends without a reminder',
    file: FINAL_STEP,
    find: "const isReminded = status !== 'needs_human' || reminders > 0;",
    replace: 'const isReminded = status.length > 0 || reminders > 0;',
  },
  {
    name: 'an input that needs a person never ends',
    file: FINAL_STEP,
    find: 'if (now < endsAt || !isReminded) return null;',
    replace: 'if (now < endsAt || isReminded) return null;',
  },
  {
    name: 'a reminder is repeated in every pass',
    file: NEEDS_HUMAN,
    find: 'return due > (last?.number ?? 0) ? due : null;',
    replace: 'return due > 0 && last !== undefined ? due : null;',
  },
  {
    name: 'a late reminder does not delay the end',
    file: NEEDS_HUMAN,
    find: 'return last === null ? until : Math.max(until, last.at + remindMs(rule));',
    replace: 'return last === null ? until : Math.max(until, rule.within.length);',
  },
  {
    name: 'a stopping input waits without an end',
    file: RULE,
    find: 'if (!isWaiting && !stopping) return null;',
    replace: 'if (!isWaiting) return null;',
  },
  {
    name: 'the choice of the workflow is ignored',
    file: RULE,
    find: 'otherwise: needsHuman.otherwise ?? otherwise,',
    replace: 'otherwise,',
  },
  {
    name: 'the deadline counts the time that a person took',
    file: LIFECYCLE,
    find: "if (state.status !== 'needs_human') return {};",
    replace: "if (state.status !== 'queued') return {};",
  },
  {
    name: 'what follows after the end is processed',
    file: LIFECYCLE,
    find: 'this.#skipPending(inputId, ({ id, attempt }) => attempt === (held[id] ?? 1));',
    replace: '',
  },
  {
    name: 'a rerun after the end is skipped',
    file: LIFECYCLE,
    find: 'attempt === (held[id] ?? 1));',
    replace: 'attempt >= (held[id] ?? 1));',
  },
  {
    name: 'the end does not name what is open',
    file: LIFECYCLE,
    find: 'const full = `${said} ${describeOpenWork(stores, inputId)}`.trim();',
    replace: 'const full = said.trim();',
  },
  {
    name: 'drained work completes an input that asks for ctx.complete',
    file: DERIVE,
    find: "completes() === 'explicit'",
    replace: "completes() !== 'explicit' && completes() !== 'drained'",
  },
  {
    name: 'an early ctx.complete does not count',
    file: DERIVE,
    find: 'consumed > 0 && !hasCompletion && completes()',
    replace: 'consumed > 0 && completes()',
  },
  {
    name: 'the session of the oldest run counts',
    file: CHAIN,
    find: 'ORDER BY run DESC LIMIT 1',
    replace: 'ORDER BY run LIMIT 1',
  },
];
