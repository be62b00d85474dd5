// The state machine of an event in a topic: pending, reserved by one consumer run, or finished.
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export const EVENT_STATUSES = ['pending', 'reserved', 'consumed', 'skipped'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/**
 * Why an event was skipped: its effect stayed unknown, it failed too often or waited for too long, or
 * its input was stopped.
 */
export type SkipReason = 'by_person' | 'set_aside' | 'canceled';

export type EventState =
  | { readonly status: 'pending'; readonly attempt: number }
  | { readonly status: 'reserved'; readonly attempt: number; readonly reservedByRunId: string }
  | { readonly status: 'consumed'; readonly attempt: number; readonly reservedByRunId: string }
  | {
      readonly status: 'skipped';
      readonly attempt: number;
      readonly reservedByRunId?: string;
      readonly reason?: SkipReason;
      /** The last failure, for a person. */
      readonly error?: string;
    };

export type EventTransition =
  /** `attempt` is the attempt that the run peeked; another one is refused. */
  | { readonly type: 'reserve'; readonly runId: string; readonly attempt?: number | undefined }
  /** The run ended before its effect, so the event is pending again with the same attempt. */
  | { readonly type: 'release'; readonly runId: string }
  | { readonly type: 'consume'; readonly runId: string }
  | { readonly type: 'skip'; readonly reason?: SkipReason; readonly error?: string }
  /** Runs the event again; the new attempt number makes a new effect id. */
  | { readonly type: 'rerun' };

export function transitionEvent(state: EventState, event: EventTransition): EventState | Rejection {
  const { attempt } = state;
  const refuse = (): Rejection => reject('event', state.status, event.type);
  switch (event.type) {
    case 'reserve':
      if (state.status !== 'pending' || (event.attempt ?? attempt) !== attempt) return refuse();
      return { status: 'reserved', attempt, reservedByRunId: event.runId };
    case 'release':
      if (state.status !== 'reserved' || state.reservedByRunId !== event.runId) return refuse();
      return { status: 'pending', attempt };
    case 'consume':
      if (state.status !== 'reserved' || state.reservedByRunId !== event.runId) return refuse();
      return { status: 'consumed', attempt, reservedByRunId: event.runId };
    case 'skip':
      if (state.status !== 'pending' && state.status !== 'reserved') return refuse();
      return {
        status: 'skipped',
        attempt,
        ...(state.status === 'reserved' ? { reservedByRunId: state.reservedByRunId } : {}),
        ...(event.reason === undefined ? {} : { reason: event.reason }),
        ...(event.error === undefined ? {} : { error: event.error }),
      };
    case 'rerun':
      if (state.status !== 'consumed' && state.status !== 'skipped') return refuse();
      return { status: 'pending', attempt: attempt + 1 };
    default:
      return unreachable(event);
  }
}
