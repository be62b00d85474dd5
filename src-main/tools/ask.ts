// A question to the person. Nothing is sent: the run waits, and the answer becomes the result.
import { z } from 'zod';
import type { MutationMethod, Tool } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';

const MAX_ANSWER_LENGTH = 10_000;

const params = z
  .strictObject({
    question: z.string().trim().min(1).max(500),
    /** When omitted, any text is an answer. */
    choices: z.array(z.string().trim().min(1).max(200)).min(2).max(20).optional(),
    details: z.string().max(20_000).optional(),
  })
  .refine(({ choices }) => !choices || new Set(choices).size === choices.length, {
    error: 'two choices are the same',
    path: ['choices'],
  });
export type AskParams = z.infer<typeof params>;

export type Answered =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly message: string };

/** The person's answer as the result of the effect, or why it is invalid. */
export function takeAnswer(asked: unknown, answer: string): Answered {
  const { choices } = params.parse(asked);
  if (choices && !choices.includes(answer)) {
    return { ok: false, message: `The answer must be one of: ${choices.join(', ')}.` };
  }
  if (answer.trim() === '') return { ok: false, message: 'The answer is empty.' };
  if (answer.length > MAX_ANSWER_LENGTH || !answer.isWellFormed()) {
    return {
      ok: false,
      message: `The answer must be text of at most ${MAX_ANSWER_LENGTH} characters.`,
    };
  }
  return { ok: true, result: { answer } };
}

export function createAskTool(): Tool {
  const question: MutationMethod<AskParams> = {
    kind: 'mutation',
    params: params.describe('Asks the person a question and waits for the answer.'),
    describe: (asked) => `Ask "${asked.question}"`,
    howToCheck: (asked) => `Answer the question "${asked.question}".`,
    call: async () => ({ type: 'waiting', kind: 'answer' }),
    reconcile: async () => ({ type: 'unknown', error: 'The question has no answer yet.' }),
  };
  return {
    namespace: 'ask',
    grant: z.strictObject({}).meta({ examples: [{}] }),
    describeGrant: () => 'may ask questions',
    methods: { question },
  };
}
