// The outside world: one service that all devices act on. It records what really happened; the answer
// that a device gets may be lost or late.
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import type { MutationOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';

/** Faults of a call. */
export const FAULTS = ['lost_after', 'lost_before', 'refused', 'unreachable', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

/** Answers that no tool may give, to see that the check finds them. */
export type Lie = 'refused_after' | 'applied_without';

/** One occurrence of an effect. */
export interface Happened {
  readonly effectId: string;
  readonly device: string;
  readonly params: Json;
  /** The row of the ledger that was in flight on the sending device; undefined: none was. */
  readonly mutationId: string | undefined;
}

/** A device of the simulation, as the world sees it. */
export interface Sender {
  readonly name: string;
  /** A device that is not running gets no answer. */
  readonly isRunning: () => boolean;
  readonly mutationInFlight: (effectId: string) => string | undefined;
}

export class World {
  readonly happened: Happened[] = [];
  readonly #faults: (Fault | Lie)[] = [];
  /** Slow effects: they will happen, even if the sender crashes. */
  readonly #underWay = new Set<Happened>();
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(sleep: (ms: number) => Promise<void>) {
    this.#sleep = sleep;
  }

  failNext(fault: Fault | Lie): void {
    this.#faults.push(fault);
  }

  /** The effect has not happened yet, but will. */
  isUnderWay(effectId: string): boolean {
    return [...this.#underWay].some((one) => one.effectId === effectId);
  }

  timesOf(effectId: string): number {
    return this.happened.filter((one) => one.effectId === effectId).length;
  }

  toolsFor({ name, isRunning, mutationInFlight }: Sender): Tools {
    const params = z.json();
    const act = async (context: { effectId: string }, sent: Json): Promise<MutationOutcome> => {
      if (!isRunning()) return never();
      const { effectId } = context;
      const outcome = await this.#act({
        effectId,
        device: name,
        params: sent,
        mutationId: mutationInFlight(effectId),
      });
      return isRunning() ? outcome : never();
    };
    const check = async (context: { effectId: string }): Promise<ReconcileOutcome> => {
      if (!isRunning()) return never();
      if (this.isUnderWay(context.effectId)) return { type: 'unknown', error: 'not settled yet' };
      return this.timesOf(context.effectId) > 0
        ? { type: 'happened', result: { seen: true } }
        : { type: 'not_there', windowMs: 0 };
    };
    const described = { describe: () => 'Act on the world', howToCheck: () => 'Look.' };
    return {
      world: {
        namespace: 'world',
        grant: z.json(),
        describeGrant: () => 'the world',
        methods: {
          /** Can be checked. */
          post: { kind: 'mutation', params, ...described, call: act, reconcile: check },
          /** Cannot be checked. */
          shout: { kind: 'mutation', params, ...described, call: act },
        },
      },
    } as unknown as Tools;
  }

  async #act(what: Happened): Promise<MutationOutcome> {
    const fault = this.#faults.shift();
    if (fault === 'refused') return { type: 'failed', errorType: 'network', error: 'not now' };
    if (fault === 'unreachable')
      return { type: 'not_sent', errorType: 'network', error: 'no route' };
    if (fault === 'lost_before') return { type: 'ambiguous', error: 'cut off' };
    if (fault === 'applied_without') return { type: 'applied', result: null };
    if (fault === 'slow') {
      this.#underWay.add(what);
      await this.#sleep(60_000);
      this.#underWay.delete(what);
    }
    this.happened.push(what);
    if (fault === 'lost_after') return { type: 'ambiguous', error: 'cut off' };
    if (fault === 'refused_after') return { type: 'failed', errorType: 'network', error: 'no' };
    return { type: 'applied', result: { by: what.device } };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
