// The outside for engine tests: records calls and gives the answers that the test queued.
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import { heldBack, waitsForOf } from '#main/tools/outside-hosts/doorway.ts';
import type {
  CallCost,
  MutationContext,
  MutationOutcome,
  ReadOutcome,
  ReconcileContext,
  ReconcileOutcome,
  ToolContext,
} from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import type { CallEnd } from '#shared/outside/host-gate.ts';

export interface Outside {
  readonly tools: Tools;
  /** The calls with an effect, in order of arrival. */
  readonly arrived: { readonly effectId: string; readonly params: Json }[];
  /** Answers of the next calls; without one, a call is applied. */
  readonly answers: (MutationOutcome | (() => MutationOutcome | Promise<MutationOutcome>))[];
  /** Answers of the next reads; without one, a read gives `{ n: 1 }`. */
  readonly reads: (
    | ReadOutcome
    | Promise<ReadOutcome>
    | (() => ReadOutcome | Promise<ReadOutcome>)
  )[];
  readonly reconciles: (ReconcileOutcome & { readonly retryAfterMs?: number })[];
  /** Costs of the next calls that were carried out or may have been; without one, a call is free. */
  readonly costs: CallCost[];
  /** Why a call of this host doesn't reach it now; null if it does. */
  unreached: (host: string) => Unreached | null;
  /** The hosts of calls that did not reach them, in order. */
  readonly probes: string[];
  /** Number of checks so far. */
  asked: number;
}

/** A negative answer to a check that counts from the moment of the doubt. */
export const NOT_THERE = { type: 'not_there', windowMs: 0 } as const;

/** The host of all calls, unless their params have a `host`. */
export const OUTSIDE_HOST = 'outside.example';

function hostIn(params: Json): string {
  const { host = OUTSIDE_HOST } = (params ?? {}) as { host?: string };
  return host;
}

/** The outcome of a call that doesn't reach its host. */
export type Unreached = 'no network' | 'no connection' | '503';

const ENDS: { readonly [how in Unreached]: CallEnd } = {
  'no network': { type: 'unreachable', isNetwork: true },
  'no connection': { type: 'unreachable', isNetwork: false },
  503: { type: 'unavailable' },
};

/** Enters the host like a real tool. An answer with `retryAfterMs` is one with a Retry-After. */
async function visit<Outcome extends object>(
  { doorway }: ToolContext<Json>,
  host: string,
  heldAs: string,
  { unreached, probes }: Outside,
  answer: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const entered = await doorway.enter(host);
  if (entered.type === 'waits') return { ...heldBack(entered), type: heldAs } as never;
  const how = unreached(host);
  if (how !== null) {
    probes.push(host);
    const wait = entered.leave(ENDS[how]);
    const failure = { errorType: 'network', error: `${host}: ${how}. Nothing was sent.` };
    return { ...failure, ...waitsForOf(wait), type: heldAs } as never;
  }
  const outcome = await answer();
  const { retryAfterMs, ...rest } = outcome as Outcome & { retryAfterMs?: number };
  const wait = entered.leave(
    retryAfterMs === undefined ? { type: 'answered' } : { type: 'asked_to_wait', retryAfterMs },
  );
  return wait ? ({ ...rest, waitsFor: { host, until: wait.until } } as never) : outcome;
}

export function createOutside(options: {
  readonly canReconcile: boolean;
  /** Like files and scripts: only the device that acted can check. */
  readonly isOfThisDevice?: boolean;
}): Outside {
  const outside: Outside = {
    arrived: [],
    answers: [],
    reads: [],
    reconciles: [],
    costs: [],
    unreached: () => null,
    probes: [],
    asked: 0,
    tools: {},
  };
  const params = z.json();
  const costOf = (): CallCost => outside.costs.shift() ?? { microdollars: 0 };
  const post = {
    kind: 'mutation' as const,
    params,
    describe: () => 'Post to the outside',
    howToCheck: () => 'Look outside.',
    costOf,
    hostOf: (_grant: Json, sent: Json) => hostIn(sent),
    call: (context: MutationContext<Json>, sent: Json): Promise<MutationOutcome> =>
      visit<MutationOutcome>(context, hostIn(sent), 'not_sent', outside, () => {
        outside.arrived.push({ effectId: context.effectId, params: sent });
        const answer = outside.answers.shift() ?? { type: 'applied', result: { ok: true } };
        return typeof answer === 'function' ? answer() : answer;
      }),
    ...(options.canReconcile
      ? {
          reconcile: (context: ReconcileContext<Json>, sent: Json): Promise<ReconcileOutcome> =>
            visit<ReconcileOutcome>(context, hostIn(sent), 'unknown', outside, () => {
              outside.asked += 1;
              return outside.reconciles.shift() ?? { type: 'unknown', error: 'no answer yet' };
            }),
        }
      : {}),
  };
  const get = {
    kind: 'read' as const,
    params,
    describe: () => 'Read from the outside',
    costOf,
    call: (context: ToolContext<Json>, asked: Json): Promise<ReadOutcome> =>
      visit<ReadOutcome>(context, hostIn(asked), 'failed', outside, () => {
        const answer = outside.reads.shift() ?? { type: 'ok', result: { n: 1 } };
        return typeof answer === 'function' ? answer() : answer;
      }),
  };
  const tool = {
    namespace: 'outside',
    ...(options.isOfThisDevice ? { isOfThisDevice: true as const } : {}),
    grant: z.json(),
    describeGrant: () => 'the outside',
    methods: { post, get },
  };
  return Object.assign(outside, { tools: { outside: tool } });
}
