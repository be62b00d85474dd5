// What shall go wrong next. Faults wait in a line; each is used as often as it was asked for. A
// single request can bring its own in the header X-Practice-Fault.
import { z } from 'zod';

const MAX_DELAY_MS = 600_000;

const common = {
  times: z.int().min(1).max(1_000_000).default(1),
  /** Which requests it meets: those that act, or those that only look. */
  on: z.enum(['effects', 'lookups']).default('effects'),
};

export const faultSchema = z.discriminatedUnion('mode', [
  /** Acts, answers late. */
  z.strictObject({ mode: z.literal('delay'), ms: z.int().min(0).max(MAX_DELAY_MS), ...common }),
  /** Acts, then cuts the connection. */
  z.strictObject({ mode: z.literal('drop_answer'), ...common }),
  /** Answers 500 and does not act. */
  z.strictObject({ mode: z.literal('fail_before'), ...common }),
  /** Cuts the connection before it has read the request, and does not act. */
  z.strictObject({ mode: z.literal('refuse'), ...common }),
  /** Acts, then answers something that is not HTTP. */
  z.strictObject({ mode: z.literal('garbage'), ...common }),
]);
export type Fault = z.infer<typeof faultSchema>;

export interface Faults {
  add(fault: Fault): void;
  /** The fault that meets this request, if any. */
  next(on: Fault['on'], header: string | undefined): Fault | null;
  waiting(): readonly Fault[];
}

export function createFaults(): Faults {
  let line: Fault[] = [];
  return {
    add: (fault) => void line.push(fault),
    waiting: () => line,
    next(on, header) {
      const own = header === undefined ? null : parseHeader(header);
      if (own) return own;
      const fault = line.find((waiting) => waiting.on === on) ?? null;
      if (!fault) return null;
      const rest = { ...fault, times: fault.times - 1 };
      line = line.flatMap((other) => (other !== fault ? [other] : rest.times > 0 ? [rest] : []));
      return fault;
    },
  };
}

/** `drop_answer`, or with a time: `delay 500`. */
function parseHeader(text: string): Fault | null {
  const [mode, ms] = text.trim().split(/\s+/);
  const fault = ms === undefined ? { mode } : { mode, ms: Number(ms) };
  return faultSchema.safeParse(fault).data ?? null;
}
