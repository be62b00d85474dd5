// What the sandbox says of a file's default export: its values as JSON, its functions by kind.
import { z } from 'zod';

const handler = z.object({
  /** What it is: only an `object` has the rest. */
  kind: z.string(),
  /** Kind by name, of run, prepare, mutate and next where they are given. */
  functions: z.record(z.string(), z.string()),
  rest: z.record(z.string(), z.json()),
});
export type DescribedHandler = z.output<typeof handler>;

/** Something else than an object of handlers is left for the check to report. */
const handlers = z.union([z.record(z.string(), handler), z.json()]).optional();

export const descriptionSchema = z.union([
  z.object({
    kind: z.literal('object'),
    rest: z.record(z.string(), z.json()),
    producers: handlers,
    consumers: handlers,
  }),
  z.object({ kind: z.string() }).transform(({ kind }) => ({ kind, rest: undefined })),
]);
export type Description = Extract<z.output<typeof descriptionSchema>, { rest: object }>;
