// The outside world: one service that all devices act on. It records what really happened; the answer
// that a device gets may be lost, late or misleading.
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import type {
  MutationContext,
  MutationOutcome,
  ReconcileContext,
  ReconcileOutcome,
  ToolContext,
  ToolFailure,
} from '#main/tools/tool.ts';
import { heldBack, waitsForOf } from '#main/tools/outside-hosts/doorway.ts';
import type { HostVisit } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { TestNetwork } from '#main/testing/test-network.ts';
import type { Clock } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import { courseOf, WINDOW_MS, type Course, type Fault } from '#test/simulation/courses.ts';
import type { DeviceSleep } from '#test/simulation/device-sleep.ts';
import type { LedgerMemory } from '#test/simulation/ledger-memory.ts';
import type { Random } from '#test/support/seeded-random.ts';

/** A call whose device slept for longer than this has lost its connection. */
const RESET_AFTER_MS = 60_000;
/** A request that was on disk for longer than this was not sent at once. */
const LATE_MS = 15_000;
const MAX_LATENCY_MS = 150;

/** One occurrence of an effect. */
export interface Happened {
  readonly effectId: string;
  readonly method: Method;
  readonly device: string;
  readonly params: Json;
  readonly sentAt: number;
  /** The row of the ledger that was in flight on the sending device; undefined: none was. */
  readonly mutationId: string | undefined;
}

/** `post` can be checked, `shout` cannot. */
type Method = 'post' | 'shout';

/** A device of the simulation, as the world sees it. */
export interface Sender {
  readonly name: string;
  /** A device that is not running gets no answer. */
  readonly isRunning: () => boolean;
  /** Whether it reaches the service. */
  readonly network: TestNetwork;
  readonly sleep: DeviceSleep;
  readonly memory: LedgerMemory;
  readonly mutationInFlight: (effectId: string) => string | undefined;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a call takes time. */
  readonly isTimed: boolean;
}

const HOST = 'world.example.org';
const NO_LINE = { errorType: 'network', error: 'no connection' } as const;
const IN_PROGRESS = { type: 'ambiguous', error: '409: the first request is running' } as const;
const RESET = { type: 'ambiguous', error: 'the connection was reset' } as const;

export class World {
  readonly happened: Happened[] = [];
  /** First requests that were sent long after they were in flight on disk. */
  readonly late: string[] = [];
  readonly #faults: { readonly fault: Fault; readonly ms: number }[] = [];
  /** They will happen, even if the sender crashes. */
  readonly #underWay = new Map<Happened, Course>();
  /** Effects whose next request the service refuses, because it has carried out the first. */
  readonly #refused = new Set<string>();
  /** Rows of the ledger of which a request was sent. */
  readonly #sent = new Set<string>();
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    this.#options = options;
  }

  /** `ms`: how late it happens or is answered, for faults that delay. */
  failNext(fault: Fault, ms: number): void {
    this.#faults.push({ fault, ms });
  }

  /** The effect has not happened yet, but will. */
  isUnderWay(effectId: string): boolean {
    return this.#running(effectId).length > 0;
  }

  timesOf(effectId: string): number {
    return this.happened.filter((one) => one.effectId === effectId).length;
  }

  toolsFor(sender: Sender): Tools {
    const params = z.json();
    const call =
      (method: Method) =>
      (context: MutationContext, sent: Json): Promise<MutationOutcome> =>
        this.#call(sender, method, context, sent);
    const reconcile = (context: ReconcileContext): Promise<ReconcileOutcome> =>
      this.#check(sender, context);
    const described = {
      describe: () => 'Act on the world',
      howToCheck: () => 'Look.',
      hostOf: () => HOST,
    };
    return {
      world: {
        namespace: 'world',
        grant: z.json(),
        describeGrant: () => 'the world',
        methods: {
          post: { kind: 'mutation', params, ...described, call: call('post'), reconcile },
          shout: { kind: 'mutation', params, ...described, call: call('shout') },
        },
      },
    } as unknown as Tools;
  }

  async #call(
    sender: Sender,
    method: Method,
    context: MutationContext,
    params: Json,
  ): Promise<MutationOutcome> {
    if (!sender.isRunning()) return never();
    const isRefused = this.#faults[0]?.fault === 'unreachable';
    if (isRefused) this.#faults.shift();
    const entered = await this.#enter(sender, context, isRefused);
    if ('error' in entered) return { type: 'not_sent', ...entered };
    const outcome = await this.#send(sender, method, context, params);
    entered.visit.leave({ type: outcome === RESET ? 'unanswered' : 'answered' });
    return outcome;
  }

  /** As every tool that leaves the machine. `isRefused`: nothing listens there. */
  async #enter(
    { network }: Sender,
    { doorway }: ToolContext,
    isRefused: boolean,
  ): Promise<ToolFailure | { readonly visit: HostVisit }> {
    const visit = await doorway.enter(HOST);
    if (visit.type === 'waits') return heldBack(visit);
    const cut = isRefused
      ? ({ type: 'unreachable', isNetwork: false } as const)
      : network.cut(HOST);
    return cut ? { ...NO_LINE, ...waitsForOf(visit.leave(cut)) } : { visit };
  }

  async #send(
    sender: Sender,
    method: Method,
    { effectId, maySend }: MutationContext,
    params: Json,
  ): Promise<MutationOutcome> {
    const refusal = maySend();
    if (refusal) return { type: 'not_sent', ...refusal };
    const { clock } = this.#options;
    const mutationId = sender.mutationInFlight(effectId);
    const [device, sentAt] = [sender.name, clock.now()];
    const what = { effectId, method, device, params, sentAt, mutationId };
    this.#noteIfLate(what, sender);
    const sleeps = sender.sleep.count;
    const answer = await this.#act(what);
    await sender.sleep.awake();
    if (!sender.isRunning()) return never();
    if (sender.network.cut(HOST)) return RESET;
    const wasReset = sender.sleep.count > sleeps && clock.now() - sentAt > RESET_AFTER_MS;
    return wasReset ? RESET : answer;
  }

  async #check(sender: Sender, context: ReconcileContext): Promise<ReconcileOutcome> {
    if (!sender.isRunning()) return never();
    const entered = await this.#enter(sender, context, false);
    if ('error' in entered) return { type: 'unknown', ...entered, isUnreached: true };
    await this.#wait(this.#latency());
    const hasHappened = this.timesOf(context.effectId) > 0;
    await sender.sleep.awake();
    if (!sender.isRunning()) return never();
    const isCut = sender.network.cut(HOST) !== null;
    entered.visit.leave({ type: isCut ? 'unanswered' : 'answered' });
    if (isCut) return { type: 'unknown', error: 'the connection was reset' };
    if (hasHappened) return { type: 'happened', result: { seen: true } };
    return { type: 'not_there', windowMs: WINDOW_MS };
  }

  async #act(what: Happened): Promise<MutationOutcome> {
    const { effectId } = what;
    if (this.#running(effectId).some(({ refusesOthers }) => refusesOthers)) return IN_PROGRESS;
    if (this.#refused.delete(effectId)) return { type: 'failed', errorType: 'logic', error: '422' };
    const next = this.#faults.shift();
    const course = courseOf(next?.fault, next?.ms ?? 0, this.#latency(), what.device);
    if (course.refusesLater) this.#refused.add(effectId);
    const happening = course.happensAfter === null ? undefined : this.#happen(what, course);
    if (course.answersAfter === course.happensAfter) await happening;
    else await this.#wait(course.answersAfter);
    return course.answer;
  }

  async #happen(what: Happened, course: Course): Promise<void> {
    this.#underWay.set(what, course);
    await this.#wait(course.happensAfter ?? 0);
    this.#underWay.delete(what);
    this.happened.push(what);
  }

  #running(effectId: string): Course[] {
    const running = [...this.#underWay].filter(([what]) => what.effectId === effectId);
    return running.map(([, course]) => course);
  }

  #noteIfLate({ mutationId = '', device, sentAt }: Happened, { memory }: Sender): void {
    const isAgain = this.#sent.has(mutationId);
    this.#sent.add(mutationId);
    const since = isAgain ? undefined : memory.inFlightSince(mutationId);
    if (since === undefined || sentAt - since <= LATE_MS) return;
    this.late.push(`${device} sent ${mutationId} long after it was in flight on disk`);
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await this.#options.clock.sleep(ms);
  }

  #latency(): number {
    const { isTimed, random } = this.#options;
    return isTimed ? 2 * random.int(MAX_LATENCY_MS) : 0;
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
