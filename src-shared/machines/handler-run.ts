// The state machine of one attempt of a handler (spec 002). Phases only move forward; a retry is a new
// run. The state holds exactly what the next phase needs.
import type { Json } from '#shared/json.ts';
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export const HANDLER_TYPES = ['producer', 'consumer'] as const;
export type HandlerType = (typeof HANDLER_TYPES)[number];

export const PHASES = [
  'pending',
  'preparing',
  'prepared',
  'mutating',
  'mutated',
  'emitting',
  'committed',
  'suspended',
  'failed',
  'executing',
] as const;
export type Phase = (typeof PHASES)[number];

export const ERROR_TYPES = ['auth', 'permission', 'network', 'logic', 'internal'] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

export const SUSPEND_REASONS = [
  'transient',
  'approval',
  'reconciliation',
  'logic',
  'internal',
] as const;
export type SuspendReason = (typeof SUSPEND_REASONS)[number];

export interface RunError {
  readonly errorType: ErrorType;
  readonly error: string;
}

type Ended =
  | { readonly phase: 'committed'; readonly outputState: Json; readonly endedAt: number }
  | ({ readonly phase: 'failed'; readonly endedAt: number } & RunError);

type Suspended<Resume extends Phase> = {
  readonly phase: 'suspended';
  readonly resumePhase: Resume;
  readonly reason: SuspendReason;
  readonly error?: string;
};

export type ConsumerActivePhase = 'preparing' | 'prepared' | 'mutating' | 'mutated' | 'emitting';

export type ConsumerRunState =
  | { readonly phase: 'pending' }
  | { readonly phase: ConsumerActivePhase }
  | Suspended<ConsumerActivePhase>
  | Ended;

export type ProducerRunState =
  | { readonly phase: 'pending' }
  | { readonly phase: 'executing' }
  | Suspended<'executing'>
  | Ended;

export type HandlerRunState = ConsumerRunState | ProducerRunState;

interface Spent {
  /** Microdollars of calls that the run's row doesn't count yet. The machine ignores them. */
  readonly cost?: number | undefined;
}

type CommonTransition =
  | { readonly type: 'suspend'; readonly reason: SuspendReason; readonly error?: string }
  | { readonly type: 'resume' }
  | { readonly type: 'commit'; readonly outputState: Json; readonly at: number }
  | ({ readonly type: 'fail'; readonly at: number } & RunError);

export type ConsumerTransition = Spent & ConsumerEvent;

type ConsumerEvent =
  | { readonly type: 'prepare' }
  | { readonly type: 'checkpoint' }
  | { readonly type: 'mutate' }
  /** The outcome is known, or a person settled it. Also allowed from a suspended `mutating`. */
  | { readonly type: 'settle' }
  /** After the effect, or from `prepared` if there was none. */
  | { readonly type: 'emit' }
  | CommonTransition;

export type ProducerTransition = Spent & ({ readonly type: 'execute' } | CommonTransition);

export function transitionConsumerRun(
  state: ConsumerRunState,
  event: ConsumerTransition,
): ConsumerRunState | Rejection {
  const refuse = (): Rejection => reject('consumer run', state.phase, event.type);
  switch (event.type) {
    case 'prepare':
      return state.phase === 'pending' ? { phase: 'preparing' } : refuse();
    case 'checkpoint':
      return state.phase === 'preparing' ? { phase: 'prepared' } : refuse();
    case 'mutate':
      return state.phase === 'prepared' ? { phase: 'mutating' } : refuse();
    case 'settle':
      return state.phase === 'mutating' || isSuspendedIn(state, 'mutating')
        ? { phase: 'mutated' }
        : refuse();
    case 'emit':
      return state.phase === 'prepared' || state.phase === 'mutated'
        ? { phase: 'emitting' }
        : refuse();
    case 'suspend':
      return isConsumerActive(state)
        ? { phase: 'suspended', resumePhase: state.phase, ...suspension(event) }
        : refuse();
    case 'resume':
      return state.phase === 'suspended' ? { phase: state.resumePhase } : refuse();
    case 'commit':
      return state.phase === 'emitting' ? committed(event) : refuse();
    case 'fail':
      return isEnded(state) ? refuse() : failed(event);
    default:
      return unreachable(event);
  }
}

export function transitionProducerRun(
  state: ProducerRunState,
  event: ProducerTransition,
): ProducerRunState | Rejection {
  const refuse = (): Rejection => reject('producer run', state.phase, event.type);
  switch (event.type) {
    case 'execute':
      return state.phase === 'pending' ? { phase: 'executing' } : refuse();
    case 'suspend':
      return state.phase === 'executing'
        ? { phase: 'suspended', resumePhase: 'executing', ...suspension(event) }
        : refuse();
    case 'resume':
      return state.phase === 'suspended' ? { phase: state.resumePhase } : refuse();
    case 'commit':
      return state.phase === 'executing' ? committed(event) : refuse();
    case 'fail':
      return isEnded(state) ? refuse() : failed(event);
    default:
      return unreachable(event);
  }
}

export function isEnded(state: HandlerRunState): state is Ended {
  return state.phase === 'committed' || state.phase === 'failed';
}

function isSuspendedIn(state: ConsumerRunState, phase: ConsumerActivePhase): boolean {
  return state.phase === 'suspended' && state.resumePhase === phase;
}

function isConsumerActive(
  state: ConsumerRunState,
): state is { readonly phase: ConsumerActivePhase } {
  return !isEnded(state) && state.phase !== 'pending' && state.phase !== 'suspended';
}

function suspension(event: { reason: SuspendReason; error?: string }): {
  reason: SuspendReason;
  error?: string;
} {
  return event.error === undefined
    ? { reason: event.reason }
    : { reason: event.reason, error: event.error };
}

function committed(event: { outputState: Json; at: number }): Ended {
  return { phase: 'committed', outputState: event.outputState, endedAt: event.at };
}

function failed(event: RunError & { at: number }): Ended {
  return {
    phase: 'failed',
    errorType: event.errorType,
    error: event.error,
    endedAt: event.at,
  };
}
