// The outside for engine tests: records calls and gives the answers that the test queued.
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import type { MutationOutcome, ReadOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';

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
  readonly reconciles: ReconcileOutcome[];
  /** Number of checks so far. */
  asked: number;
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
    asked: 0,
    tools: {},
  };
  const params = z.json();
  const post = {
    kind: 'mutation' as const,
    params,
    describe: () => 'Post to the outside',
    howToCheck: () => 'Look outside.',
    call: async (context: { effectId: string }, sent: Json): Promise<MutationOutcome> => {
      outside.arrived.push({ effectId: context.effectId, params: sent });
      const answer = outside.answers.shift() ?? { type: 'applied', result: { ok: true } };
      return typeof answer === 'function' ? answer() : answer;
    },
    ...(options.canReconcile
      ? {
          reconcile: async (): Promise<ReconcileOutcome> => {
            outside.asked += 1;
            return outside.reconciles.shift() ?? { type: 'unknown', error: 'no answer yet' };
          },
        }
      : {}),
  };
  const get = {
    kind: 'read' as const,
    params,
    describe: () => 'Read from the outside',
    call: async (): Promise<ReadOutcome> => {
      const answer = outside.reads.shift() ?? { type: 'ok', result: { n: 1 } };
      return typeof answer === 'function' ? answer() : answer;
    },
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
