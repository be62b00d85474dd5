// The outside: one service that all devices act on. It knows what truly happened, how often and by
// whom; what it lets a device know of it is another matter.
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import type { MutationOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';

/** What comes of the next call. */
export const FAULTS = ['lost_after', 'lost_before', 'refused', 'unreachable', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

/** One time that an effect happened. */
export interface Happened {
  readonly effectId: string;
  readonly device: string;
  readonly params: Json;
}

export class World {
  readonly happened: Happened[] = [];
  readonly #faults: Fault[] = [];
  /** On their way, and they will arrive, whatever becomes of the sender. */
  readonly #underWay = new Set<Happened>();
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(sleep: (ms: number) => Promise<void>) {
    this.#sleep = sleep;
  }

  failNext(fault: Fault): void {
    this.#faults.push(fault);
  }

  /** Nobody can know yet. */
  isUnderWay(effectId: string): boolean {
    return [...this.#underWay].some((one) => one.effectId === effectId);
  }

  timesOf(effectId: string): number {
    return this.happened.filter((one) => one.effectId === effectId).length;
  }

  /** As the device named `device` reaches it, while `isAlive`: a dead one hears no answer. */
  toolsFor(device: string, isAlive: () => boolean): Tools {
    const params = z.json();
    const act = async (context: { effectId: string }, sent: Json): Promise<MutationOutcome> => {
      if (!isAlive()) return never();
      const outcome = await this.#act({ effectId: context.effectId, device, params: sent });
      return isAlive() ? outcome : never();
    };
    const ask = async (context: { effectId: string }): Promise<ReconcileOutcome> => {
      if (!isAlive()) return never();
      if (this.isUnderWay(context.effectId)) return { type: 'unknown', error: 'not settled yet' };
      return this.timesOf(context.effectId) > 0
        ? { type: 'happened', result: { seen: true } }
        : { type: 'did_not_happen' };
    };
    const described = { describe: () => 'Act on the world', howToCheck: () => 'Look.' };
    return {
      world: {
        namespace: 'world',
        grant: z.json(),
        describeGrant: () => 'the world',
        methods: {
          /** The world can be asked what became of it. */
          post: { kind: 'mutation', params, ...described, call: act, reconcile: ask },
          /** Nobody can be asked. */
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
    if (fault === 'slow') {
      this.#underWay.add(what);
      await this.#sleep(60_000);
      this.#underWay.delete(what);
    }
    this.happened.push(what);
    if (fault === 'lost_after') return { type: 'ambiguous', error: 'cut off' };
    return { type: 'applied', result: { by: what.device } };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
