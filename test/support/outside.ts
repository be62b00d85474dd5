// The outside world for engine tests: it counts what reached it and answers as it is told to.
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import type { MutationOutcome, ReadOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';

export interface Outside {
  readonly tools: Tools;
  /** Effect ids and params, in the order in which they arrived. */
  readonly arrived: { readonly effectId: string; readonly params: Json }[];
  /** What the next calls answer; afterwards all of them are applied. */
  readonly answers: (MutationOutcome | (() => MutationOutcome | Promise<MutationOutcome>))[];
  readonly reads: ReadOutcome[];
  readonly reconciles: ReconcileOutcome[];
  asked: number;
}

export function createOutside(options: {
  readonly canReconcile: boolean;
  /** As files and scripts are: only the device that acted can look. */
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
    call: async (): Promise<ReadOutcome> =>
      outside.reads.shift() ?? { type: 'ok', result: { n: 1 } },
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
