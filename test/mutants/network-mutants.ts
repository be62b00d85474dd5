// Mutants of what leaves this machine: egress, outside hosts, scripts without a network, callers.
import type { Mutant } from '#test/mutants/mutant.ts';

const RANGE = 'src-main/tools/egress/address-range.ts';
const LOOKUP = 'src-main/tools/egress/guarded-lookup.ts';
const GATE = 'src-shared/outside/host-gate.ts';
const HOSTS = 'src-main/tools/outside-hosts/outside-hosts.ts';

export const NETWORK_MUTANTS: readonly Mutant[] = [
  {
    name: 'an IPv4 address inside a NAT64 address is not judged',
    file: RANGE,
    find: 'if (isNat64 &&',
    replace: 'if (!isNat64 &&',
  },
  {
    name: 'a mapped IPv4 address is not judged',
    file: RANGE,
    find: 'groups[5] === 0xffff',
    replace: 'groups[5] === 0xfffe',
  },
  {
    name: 'addresses of carriers count as the internet',
    file: RANGE,
    find: "['100.64.0.0', 10],",
    replace: '',
  },
  {
    name: 'a granted name reaches private addresses',
    file: LOOKUP,
    find: "(reach === 'private' || reach === range)",
    replace: "(reach !== 'loopback' || reach === range)",
  },
  {
    name: 'localhost reaches other machines',
    file: LOOKUP,
    find: "? 'loopback' : 'public';",
    replace: "? 'private' : 'public';",
  },
  {
    name: 'connections are shared between grants',
    file: 'src-main/tools/http/follow.ts',
    find: 'agents[reachOf(grant, url)]',
    replace: 'agents.private',
  },
  {
    name: 'IMAP looks names up without the guard',
    file: 'src-main/tools/mail/imap-session.ts',
    find: 'guardedLookup(reachOf(account.imap), resolve)',
    replace: "guardedLookup('private', resolve)",
  },
  {
    name: 'SMTP looks names up without the guard',
    file: 'src-main/tools/mail/smtp-dialogue.ts',
    find: 'guardedLookup(reachOf(call.server), call.resolve)',
    replace: "guardedLookup('private', call.resolve)",
  },
  {
    name: 'a secret goes to private addresses without TLS',
    file: 'src-main/tools/http/hosts.ts',
    find: "reachOf(grant, url) === 'loopback' ||",
    replace: "reachOf(grant, url) !== 'public' ||",
  },
  {
    name: 'a host that asked to wait is called',
    file: GATE,
    find: 'if (held !== null) return { passed: [], nextAt: held };',
    replace: '',
  },
  {
    name: 'the limit of concurrent calls is ignored',
    file: GATE,
    find: 'if (this.#isFull) break;',
    replace: '',
  },
  {
    name: 'calls are not paced',
    file: GATE,
    find: '? 0 : 1000 / this.limit.perSecond',
    replace: '? 0 : 0 / this.limit.perSecond',
  },
  {
    name: 'the turn of a run that starts over is not reserved',
    file: GATE,
    find: 'nextAt = ticket.parkedUntil + RESERVED_MS;\n        break;',
    replace: 'continue;',
  },
  {
    name: 'a run that starts over goes to the end of the queue',
    file: GATE,
    find: 'left.parkedUntil = null;\n      return left;',
    replace: 'this.abandon(left);',
  },
  {
    name: 'a host that asks again and again is asked as often',
    file: GATE,
    find: 'this.#asked += 1;',
    replace: 'this.#asked = 1;',
  },
  {
    name: 'every call under way counts as another refusal',
    file: GATE,
    find: 'if (enteredAt > this.#askedAt || this.#asked === 0) {',
    replace: 'if (enteredAt >= 0) {',
  },
  {
    name: 'an answer does not end the backoff of its host',
    file: GATE,
    find: 'if (pass.enteredAt > this.#askedAt) this.#asked = 0;',
    replace: '',
  },
  {
    name: 'the mildest limit holds',
    file: 'src-shared/outside/host-limit.ts',
    find: 'Math.min(...values.map((value) => value ?? Infinity))',
    replace: 'Math.max(...values.map((value) => value ?? 0)) || Infinity',
  },
  {
    name: 'a wait is forgotten at a restart',
    file: HOSTS,
    find: 'if (wait && wait.until !== null) this.#saveHolds();',
    replace: '',
  },
  {
    name: 'a visit that is left twice frees two places',
    file: HOSTS,
    find: 'if (isOver) return null;',
    replace: '',
  },
  {
    name: 'a stop does not end a wait',
    file: HOSTS,
    find: "signal.addEventListener('abort', stop);",
    replace: '',
  },
  {
    name: 'an effect is sent though its host asked to wait since its turn',
    file: 'src-main/tools/outside-hosts/doorway.ts',
    find: 'if (wait) return wait;',
    replace: '',
  },
  {
    name: 'an effect is in flight before its turn',
    file: 'src-main/engine/runs/effects.ts',
    find: "return isPreview ? { type: 'turn', visit: null }",
    replace: "return isPreview || handler ? { type: 'turn', visit: null }",
  },
  {
    name: 'a second send does not wait for its turn',
    file: 'src-main/engine/runs/effects.ts',
    find: "if (turn.type === 'waits') return this.#ledger.giveUp(run, turn.error, side);",
    replace: "if (turn.type === 'waits') return { type: 'suspended' };",
  },
  {
    name: 'a wait for a host counts as a failure',
    file: 'src-main/engine/runs/failure.ts',
    find: 'if (failure.waitsFor) waitForHost(context, run, failure.waitsFor, patience);',
    replace:
      'if (failure.waitsFor && failure.retryAfterMs) waitForHost(context, run, failure.waitsFor, patience);',
  },
  {
    name: 'a check that was held back counts as an attempt',
    file: 'src-main/engine/runs/effect-ledger.ts',
    find: 'nextAt, ...asked, ...waiting }',
    replace: 'nextAt, ...waiting }',
  },
  {
    name: 'the run does not say for which host it waits',
    file: 'src-main/engine/runs/failure.ts',
    find: '...(waitsFor && { waitsFor: { ...waitsFor } }),',
    replace: '',
  },
  {
    name: 'limits of paused workflows hold',
    file: 'src-main/store/tables/workflows.ts',
    find: "SELECT handler_config FROM workflows WHERE status = 'active'",
    replace: 'SELECT handler_config FROM workflows',
  },
  {
    name: 'a request names its caller',
    file: 'src-main/runner/rest-routes.ts',
    find: 'if (named !== caller) return failure(403, otherCaller(named, caller));',
    replace: '',
  },
  {
    name: 'a named token is the caller of the host',
    file: 'src-main/boundary/runner-tokens.ts',
    find: 'return caller === null ? { ok: false, error } : { ok: true, caller };',
    replace: 'return caller === null ? { ok: false, error } : { ok: true, caller: HOST_CALLER };',
  },
  {
    name: 'a script without a network gets one',
    file: 'src-main/runner/executor.ts',
    find: '? isolation.wrap(command.executable, command.argv)',
    replace: '? command',
  },
  {
    name: 'a script without a network may enter the network of the host',
    file: 'src-main/runner/network-isolation.ts',
    find: "['--map-current-user', '--net', '--']",
    replace: "['--net', '--']",
  },
  {
    name: 'a script runs where its network can’t be turned off',
    file: 'src-main/runner/executor.ts',
    find: 'if (why === null) return true;',
    replace: 'if (why !== undefined) return true;',
  },
];
