// Faults of the practice service, in a queue; each applies `times` times. A request can carry its own
// fault in the header X-Practice-Fault.
import { z } from 'zod';

const MAX_DELAY_MS = 600_000;

const common = {
  times: z.int().min(1).max(1_000_000).default(1),
  /** Which requests it applies to: POST /effects/NAME, or GET /effects. */
  on: z.enum(['effects', 'lookups']).default('effects'),
};

export const faultSchema = z.discriminatedUnion('mode', [
  /** Applies the effect and replies late. */
  z.strictObject({ mode: z.literal('delay'), ms: z.int().min(0).max(MAX_DELAY_MS), ...common }),
  /** Applies the effect and closes the connection. */
  z.strictObject({ mode: z.literal('drop_answer'), ...common }),
  /** Replies with 500 and applies nothing. */
  z.strictObject({ mode: z.literal('fail_before'), ...common }),
  /** Closes the connection before reading the request and applies nothing. */
  z.strictObject({ mode: z.literal('refuse'), ...common }),
  /** Applies the effect and replies with something that is not HTTP. */
  z.strictObject({ mode: z.literal('garbage'), ...common }),
]);
export type Fault = z.infer<typeof faultSchema>;

export interface Faults {
  add(fault: Fault): void;
  /** Takes the fault for this request, if any. */
  next(on: Fault['on'], header: string | undefined): Fault | null;
  queued(): readonly Fault[];
}

export function createFaults(): Faults {
  let queue: Fault[] = [];
  return {
    add: (fault) => void queue.push(fault),
    queued: () => queue,
    next(on, header) {
      const own = header === undefined ? null : parseHeader(header);
      if (own) return own;
      const fault = queue.find((queued) => queued.on === on) ?? null;
      if (!fault) return null;
      const rest = { ...fault, times: fault.times - 1 };
      queue = queue.flatMap((other) => (other !== fault ? [other] : rest.times > 0 ? [rest] : []));
      return fault;
    },
  };
}

/** Parses `drop_answer`, or with a time `delay 500`. */
function parseHeader(text: string): Fault | null {
  const [mode, ms] = text.trim().split(/\s+/);
  const fault = ms === undefined ? { mode } : { mode, ms: Number(ms) };
  return faultSchema.safeParse(fault).data ?? null;
}
