// Mutants of being offline: circuits, the network, waiting work, and giveUpAfter.
import type { Mutant } from '#test/mutants/mutant.ts';

const CIRCUIT = 'src-shared/outside/circuit.ts';
const GATE = 'src-shared/outside/host-gate.ts';
const NETWORK = 'src-shared/outside/network.ts';
const WAITING = 'src-shared/outside/outside-waiting.ts';
const HOSTS = 'src-main/tools/outside-hosts/outside-hosts.ts';
const WATCH = 'src-main/tools/outside-hosts/network-watch.ts';
const WORK = 'src-main/engine/waiting-work.ts';
const FAILURE = 'src-main/engine/runs/failure.ts';
const GIVE_UP = 'src-main/engine/runs/give-up.ts';

const ENGINE = ['test/engine/offline.test.ts'];

export const OFFLINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'one unavailable answer opens the circuit',
    file: CIRCUIT,
    find: 'unavailable < UNAVAILABLE_BEFORE_OPEN',
    replace: 'unavailable < 1',
  },
  {
    name: 'two probes at a time',
    file: CIRCUIT,
    find: "if (circuit.type === 'closed' || circuit.isProbing) return false;",
    replace: "if (circuit.type === 'closed') return false;",
  },
  {
    name: 'a clock that was set back delays the probe',
    file: CIRCUIT,
    find: ' || circuit.probeAt > now + LONGEST_PROBE_MS',
    replace: '',
  },
  {
    name: 'a long outage is probed as often as a short one',
    file: CIRCUIT,
    find: 'now - since >= LONG_OUTAGE_MS',
    replace: 'false',
  },
  {
    name: 'a return does not restart the backoff',
    file: CIRCUIT,
    find: 'event.isFresh ? 0 : circuit.failures',
    replace: 'circuit.failures',
  },
  {
    name: 'calls that were under way count as further failures',
    file: GATE,
    find: 'if (!wasDown || pass.isProbe) {',
    replace: 'if (!wasDown || pass) {',
  },
  {
    name: 'a probe that got no answer blocks the host for good',
    file: GATE,
    find: 'if (pass.isProbe && wasDown) {',
    replace: 'if (pass.isProbe && !wasDown) {',
  },
  {
    name: 'calls go to a host that is down',
    file: GATE,
    find: 'if (this.downSince !== null) return this.#serveProbe(now);',
    replace: '',
  },
  {
    name: 'a host that asks to wait counts as down',
    file: GATE,
    find: "this.#circuit = circuitAfter(this.#circuit, { type: 'answered' }, now);",
    replace: '',
  },
  {
    name: 'a host without a route proves that the network is gone, whatever others say',
    file: NETWORK,
    find: ' || (age >= 0 && age < REACHED_RECENTLY_MS)',
    replace: '',
  },
  {
    name: 'another network causes no retry',
    file: NETWORK,
    find: 'after.seen !== before.seen &&',
    replace: 'after.seen === before.seen &&',
  },
  {
    name: 'this machine waits for the network',
    file: NETWORK,
    find: "name === 'localhost' ||",
    replace: '',
  },
  {
    name: 'a clock that is set back lengthens the wait',
    file: WAITING,
    find: 'before.since - Math.max(0, before.at - now)',
    replace: 'before.since',
  },
  {
    name: 'the network is watched although no host is down',
    file: WATCH,
    find: 'if (!this.#isStopped && hosts.isAnyDown) this.#lookLater();',
    replace: 'this.#lookLater();',
  },
  {
    name: 'a sleep goes unnoticed',
    file: WATCH,
    find: 'if (clock.now() > at + ASLEEP_MS) hosts.retryNow();',
    replace: '',
  },
  {
    name: 'a circuit is forgotten by a restart',
    file: HOSTS,
    find: 'if (wasDown !== isDown) this.#saveCircuits();',
    replace: '',
    tests: ENGINE,
  },
  {
    name: 'work that waits is not woken when the host is back',
    file: HOSTS,
    find: 'for (const work of this.#works) work.goOn(host);',
    replace: '',
    tests: ENGINE,
  },
  {
    name: 'no work is woken to probe',
    file: HOSTS,
    find: 'const isWoken = [...this.#works].some((work) => work.probe(host));',
    replace: 'const isWoken = false;',
    tests: ENGINE,
  },
  {
    name: 'the newest work continues first',
    file: WORK,
    find: '(a, b) => a.since - b.since',
    replace: '(a, b) => b.since - a.since',
    tests: ENGINE,
  },
  {
    name: 'always the same workflow probes',
    file: WORK,
    find: '(a, b) => a.at - b.at',
    replace: '(a, b) => a.since - b.since',
    tests: ENGINE,
  },
  {
    name: 'waits that are over are not ended by a start',
    file: WORK,
    find: 'this.#end(this.#waiting().filter(isOver));',
    replace: 'void isOver;',
    tests: ENGINE,
  },
  {
    name: 'checks of a paused workflow are not woken',
    file: WORK,
    find: "isActive || kind === 'check'",
    replace: "isActive || kind !== 'check'",
    tests: ENGINE,
  },
  {
    name: 'a check waits for hours after its host is back',
    file: 'src-main/engine/lane/pick-work.ts',
    find: "if (isWaitOver) return { type: 'check', run };",
    replace: '',
    tests: ENGINE,
  },
  {
    name: 'a check counts as an attempt without a network',
    file: 'src-main/engine/runs/effect-ledger.ts',
    find: 'if (!isDown || hosts.waitsForNetwork(waitsFor.host)) return false;',
    replace: 'if (!isDown) return false;',
    tests: ENGINE,
  },
  {
    name: 'a person is never asked if the service of the check can never be reached',
    file: 'src-main/engine/runs/effect-ledger.ts',
    find: 'store.clock.now() - since >= UNREACHED_ATTEMPT_MS',
    replace: 'store.clock.now() - since < 0',
    tests: ENGINE,
  },
  {
    name: 'failures of the outside pause a workflow',
    file: FAILURE,
    find: "failure.errorType === 'internal' && failures > MAX_TRANSIENT_RETRIES",
    replace: 'failures > MAX_TRANSIENT_RETRIES',
    tests: ['test/engine/failure.test.ts'],
  },
  {
    name: 'an afternoon of failures of the outside counts as failures of the code',
    file: FAILURE,
    find: "(last.errorType === 'network') !== (errorType === 'network')",
    replace: 'false',
    tests: ['test/engine/failure.test.ts'],
  },
  {
    name: 'a wait restarts with each retry',
    file: GIVE_UP,
    find: 'waitingAfter(last?.waiting ?? null, now)',
    replace: 'waitingAfter(null, now)',
    tests: ENGINE,
  },
  {
    name: 'an interrupted run ends the wait of its handler',
    file: FAILURE,
    find: 'endRun(context, run, { ...why, waiting });',
    replace: 'endRun(context, run, waiting ? why : why);',
    tests: ENGINE,
  },
  {
    name: 'an event that waited behind another one waits twice as long',
    file: GIVE_UP,
    find: 'Math.min(waiting.since, downSince ?? Infinity)',
    replace: 'Math.max(waiting.since, downSince ?? 0)',
    tests: ENGINE,
  },
  {
    name: 'no wake is set for the end of giveUpAfter',
    file: FAILURE,
    find: 'Math.min(until ?? store.clock.now() + OUTSIDE_RECHECK_MS, giveUpAt)',
    replace: 'until ?? store.clock.now() + OUTSIDE_RECHECK_MS',
    tests: ENGINE,
  },
  {
    name: 'a slot that was given up runs again',
    file: 'src-main/engine/runs/producer-run.ts',
    find: "if (ended === 'given_up') options.onCommit(run);",
    replace: '',
    tests: ENGINE,
  },
  {
    name: 'a cut connection does not count as a missing one',
    file: 'src-main/tools/http/follow.ts',
    find: "return { type: 'unreachable', isNetwork: isOfTheNetwork(cause) };",
    replace: "return { type: 'unanswered' };",
    tests: ['test/tools/http/unreachable.test.ts'],
  },
  {
    name: '503 to an effect opens the circuit',
    file: 'src-main/tools/http/follow.ts',
    find: "const isRead = method === 'GET' || method === 'HEAD';",
    replace: 'const isRead = method !== undefined;',
    tests: ['test/tools/http/unreachable.test.ts'],
  },
  {
    name: 'a check that was answered with 503 counts as an attempt',
    file: 'src-main/tools/http/reconcile.ts',
    find: 'if (UNAVAILABLE.includes(answer.status)) {',
    replace: 'if (UNAVAILABLE.length === 0) {',
    tests: ['test/tools/http/unreachable.test.ts'],
  },
  {
    name: 'any text is a valid giveUpAfter',
    file: 'src-main/authoring/check-handlers.ts',
    find: "typeof giveUpAfter === 'string' && readDuration(giveUpAfter) !== undefined",
    replace: "typeof giveUpAfter === 'string'",
    tests: ['test/authoring/check-workflow.test.ts'],
  },
];
