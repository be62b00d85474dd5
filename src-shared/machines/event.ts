// An event in a topic: waiting, held by one consumer run, or done with.
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export const EVENT_STATUSES = ['pending', 'reserved', 'consumed', 'skipped'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** Why an event was skipped: by a person, with its effect unknown; or after it failed too often. */
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
    };

export type EventTransition =
  /** `attempt`: the one that the run has seen; it gets no other. */
  | { readonly type: 'reserve'; readonly runId: string; readonly attempt?: number | undefined }
  /** Its run ended before any effect: the event waits again, same attempt. */
  | { readonly type: 'release'; readonly runId: string }
  | { readonly type: 'consume'; readonly runId: string }
  | { readonly type: 'skip'; readonly reason?: SkipReason }
  /** On purpose once more: a new attempt number makes a new effect id. */
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
      };
    case 'rerun':
      if (state.status !== 'consumed' && state.status !== 'skipped') return refuse();
      return { status: 'pending', attempt: attempt + 1 };
    default:
      return unreachable(event);
  }
}
