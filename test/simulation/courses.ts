// The ways in which a request to the simulated service can go: when it happens, if at all, and which
// answer comes when.
import type { MutationOutcome } from '#main/tools/tool.ts';
import { unreachable } from '#shared/rejection.ts';

/**
 * How long after a request a negative answer can mean "not yet". The service finishes every request
 * within it.
 */
export const WINDOW_MS = 90_000;

export const FAULTS = ['lost_after', 'lost_before', 'refused', 'unreachable', 'slow'] as const;

/** Answers that mislead and that a tool may give. */
export const MISLEADING = [
  /** No answer, and a check finds nothing, but it happens later. */
  'under_way',
  /** As `under_way`; a second request is answered with 409 meanwhile. */
  'conflict',
  /** 503 after it happened. */
  'error_after',
  /** It happens at once, and the answer comes long after the window. */
  'late_answer',
  /** No answer, and the next request is refused. */
  'refuses_later',
] as const;

/** Answers that no tool may give, to see that the check finds them. */
export const LIES = ['refused_after', 'applied_without', 'after_window', 'bug'] as const;

export type Fault = (typeof FAULTS)[number] | (typeof MISLEADING)[number] | (typeof LIES)[number];

export interface Course {
  /** Null: it never happens. */
  readonly happensAfter: number | null;
  readonly answersAfter: number;
  readonly answer: MutationOutcome;
  readonly refusesOthers?: true;
  readonly refusesLater?: true;
}

const SLOW_MS = 60_000;

/** `ms`: the delay of the faults that delay. */
export function courseOf(
  fault: Fault | undefined,
  ms: number,
  latency: number,
  device: string,
): Course {
  const applied = { type: 'applied', result: { by: device } } as const;
  const lost = { type: 'ambiguous', error: 'cut off' } as const;
  const happens = { happensAfter: latency / 2, answersAfter: latency };
  const never = { happensAfter: null, answersAfter: latency };
  switch (fault) {
    case undefined:
      return { ...happens, answer: applied };
    case 'lost_after':
      return { ...happens, answer: lost };
    case 'lost_before':
      return { ...never, answer: lost };
    case 'refused':
      return { ...never, answer: { type: 'failed', errorType: 'network', error: 'not now' } };
    case 'unreachable':
      return { ...never, answer: { type: 'not_sent', errorType: 'network', error: 'no route' } };
    case 'slow':
      return { happensAfter: SLOW_MS, answersAfter: SLOW_MS, answer: applied };
    case 'under_way':
    case 'after_window':
      return { happensAfter: ms, answersAfter: latency, answer: lost };
    case 'conflict':
      return { happensAfter: ms, answersAfter: latency, answer: lost, refusesOthers: true };
    case 'error_after':
      return { ...happens, answer: { type: 'ambiguous', error: '503' } };
    case 'late_answer':
      return { happensAfter: latency / 2, answersAfter: ms, answer: applied };
    case 'refuses_later':
      return { ...happens, answer: lost, refusesLater: true };
    case 'refused_after':
      return { ...happens, answer: { type: 'failed', errorType: 'network', error: 'no' } };
    case 'bug':
      return { ...never, answer: { type: 'failed', errorType: 'logic', error: 'wrong' } };
    case 'applied_without':
      return { ...never, answer: { type: 'applied', result: null } };
    default:
      return unreachable(fault);
  }
}
