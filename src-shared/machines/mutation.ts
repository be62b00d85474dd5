// The state machine of one effect (the ledger of spec 002). Its main rule: an effect in `in_flight`
// becomes `failed` only on proof, and never becomes `pending` again.
import type { Doubt } from '#shared/doubt.ts';
import type { Json } from '#shared/json.ts';
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export const MUTATION_STATUSES = [
  'pending',
  'in_flight',
  'applied',
  'failed',
  'needs_reconcile',
  'indeterminate',
] as const;
export type MutationStatus = (typeof MUTATION_STATUSES)[number];

export const RESOLUTIONS = [
  'user_assert_applied',
  'user_assert_failed',
  'user_retry',
  'user_skip',
] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export interface Reconciling {
  readonly attempts: number;
  readonly lastAt?: number;
  readonly nextAt?: number;
  /** The negative answers so far (src-shared/doubt.ts). */
  readonly doubt?: Doubt;
  /** The host that could not be reached the last time. The check is due once it can be. */
  readonly waitsFor?: string;
}

export interface Resolved {
  readonly by: Resolution;
  readonly at: number;
  /** It was sent again, so it may have happened twice. */
  readonly resent?: true;
}

export type MutationState =
  /** Recorded but not sent; dry runs end here. */
  | { readonly status: 'pending' }
  | { readonly status: 'in_flight'; readonly resolved?: Resolved }
  | { readonly status: 'applied'; readonly result: Json; readonly resolved?: Resolved }
  | { readonly status: 'failed'; readonly error: string; readonly resolved?: Resolved }
  | {
      readonly status: 'needs_reconcile';
      readonly error: string;
      readonly reconcile: Reconciling;
      readonly resolved?: Resolved;
    }
  | {
      readonly status: 'indeterminate';
      readonly error: string;
      readonly reconcile?: Reconciling;
      /** A person skipped it: the outcome stays unknown and is not checked again. */
      readonly resolved?: Resolved & { readonly by: 'user_skip' };
    };

export type MutationTransition = MutationEvent & {
  /** Microdollars that this effect cost. The machine ignores them. */
  readonly cost?: number | undefined;
};

type MutationEvent =
  | { readonly type: 'send' }
  | { readonly type: 'apply'; readonly result: Json }
  /** The response or a reconcile proved that it did not happen. Never used for a timeout. */
  | { readonly type: 'fail'; readonly error: string }
  | {
      readonly type: 'doubt';
      readonly error: string;
      readonly nextAt?: number;
      readonly doubt?: Doubt;
    }
  /** `wasAsked: false`: the outside could not be asked, which is not an attempt. */
  | {
      readonly type: 'reconcile_again';
      readonly at: number;
      readonly nextAt: number;
      readonly doubt?: Doubt;
      readonly wasAsked?: false;
      /** The host that could not be reached. */
      readonly waitsFor?: string;
    }
  | { readonly type: 'give_up'; readonly error: string }
  | {
      readonly type: 'resolve';
      readonly as: 'user_assert_applied';
      readonly at: number;
      readonly result: Json;
    }
  | { readonly type: 'resolve'; readonly as: 'user_assert_failed'; readonly at: number }
  | { readonly type: 'resolve'; readonly as: 'user_skip'; readonly at: number }
  /** Reconciles again if `canReconcile`; otherwise sends again with the same effect id. */
  | {
      readonly type: 'resolve';
      readonly as: 'user_retry';
      readonly at: number;
      readonly canReconcile: boolean;
    };

export function transitionMutation(
  state: MutationState,
  event: MutationTransition,
): MutationState | Rejection {
  const refuse = (): Rejection => reject('effect', state.status, event.type);
  const resolution = resolvedOf(state);
  switch (event.type) {
    case 'send':
      return state.status === 'pending' ? { status: 'in_flight' } : refuse();
    case 'apply':
      return isOutcomeOpen(state)
        ? { status: 'applied', result: event.result, ...resolution }
        : refuse();
    case 'fail':
      return isOutcomeOpen(state) || state.status === 'pending'
        ? { status: 'failed', error: event.error, ...resolution }
        : refuse();
    case 'doubt':
      if (state.status !== 'in_flight') return refuse();
      return {
        status: 'needs_reconcile',
        error: event.error,
        reconcile: {
          attempts: 0,
          ...(event.nextAt === undefined ? {} : { nextAt: event.nextAt }),
          ...(event.doubt && { doubt: event.doubt }),
        },
        ...resolution,
      };
    case 'reconcile_again':
      if (state.status !== 'needs_reconcile') return refuse();
      if (event.wasAsked === false) {
        const { nextAt, waitsFor } = event;
        const { waitsFor: _former, ...reconcile } = state.reconcile;
        return { ...state, reconcile: { ...reconcile, nextAt, ...(waitsFor && { waitsFor }) } };
      }
      return {
        ...state,
        reconcile: {
          attempts: state.reconcile.attempts + 1,
          lastAt: event.at,
          nextAt: event.nextAt,
          ...(event.doubt && { doubt: event.doubt }),
          ...(event.waitsFor && { waitsFor: event.waitsFor }),
        },
      };
    case 'give_up':
      if (!isOutcomeOpen(state)) return refuse();
      return {
        status: 'indeterminate',
        error: event.error,
        ...(state.status === 'needs_reconcile' ? { reconcile: state.reconcile } : {}),
      };
    case 'resolve':
      return state.status === 'indeterminate' && !state.resolved
        ? resolve(state, event)
        : reject('effect', state.status, event.as);
    default:
      return unreachable(event);
  }
}

function resolve(
  state: MutationState & { status: 'indeterminate' },
  event: MutationTransition & { type: 'resolve' },
): MutationState {
  const resolved = { by: event.as, at: event.at };
  switch (event.as) {
    case 'user_assert_applied':
      return { status: 'applied', result: event.result, resolved };
    case 'user_assert_failed':
      return { status: 'failed', error: state.error, resolved };
    case 'user_skip':
      return { ...state, resolved: { by: 'user_skip', at: event.at } };
    case 'user_retry':
      return event.canReconcile
        ? { status: 'needs_reconcile', error: state.error, reconcile: { attempts: 0 }, resolved }
        : { status: 'in_flight', resolved: { ...resolved, resent: true } };
    default:
      return unreachable(event);
  }
}

/** It may have reached the outside, and its outcome is not known. */
function isOutcomeOpen(state: MutationState): boolean {
  return state.status === 'in_flight' || state.status === 'needs_reconcile';
}

function resolvedOf(state: MutationState): { resolved?: Resolved } {
  return 'resolved' in state && state.resolved ? { resolved: state.resolved } : {};
}
