// The state machine of a runner job, one run of a registered local script (spec 003).
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export const RUNNER_JOB_STATUSES = [
  'queued',
  'running',
  'cancel_requested',
  'succeeded',
  'failed',
  'canceled',
  'timed_out',
] as const;
export type RunnerJobStatus = (typeof RUNNER_JOB_STATUSES)[number];

export type RunnerJobState =
  | { readonly status: 'queued' }
  | { readonly status: 'running' | 'cancel_requested'; readonly startedAt: number }
  | {
      readonly status: 'succeeded' | 'failed' | 'canceled' | 'timed_out';
      readonly startedAt?: number;
      readonly finishedAt: number;
      readonly exitCode?: number;
      readonly reason?: string;
    };

export type RunnerJobTransition =
  | { readonly type: 'claim'; readonly at: number }
  | { readonly type: 'request_cancel'; readonly at: number }
  | { readonly type: 'exit'; readonly exitCode: number; readonly at: number }
  | { readonly type: 'time_out'; readonly at: number }
  /** It could not be started, or was found running after its launcher crashed. */
  | { readonly type: 'fail'; readonly reason: string; readonly at: number };

export function transitionRunnerJob(
  state: RunnerJobState,
  event: RunnerJobTransition,
): RunnerJobState | Rejection {
  const refuse = (): Rejection => reject('runner job', state.status, event.type);
  switch (event.type) {
    case 'claim':
      return state.status === 'queued' ? { status: 'running', startedAt: event.at } : refuse();
    case 'request_cancel':
      if (state.status === 'queued') return { status: 'canceled', finishedAt: event.at };
      if (state.status !== 'running') return refuse();
      return { status: 'cancel_requested', startedAt: state.startedAt };
    case 'exit':
      if (!isAlive(state)) return refuse();
      return {
        status: exitStatus(state, event.exitCode),
        startedAt: state.startedAt,
        finishedAt: event.at,
        exitCode: event.exitCode,
      };
    case 'time_out':
      if (!isAlive(state)) return refuse();
      return { status: 'timed_out', startedAt: state.startedAt, finishedAt: event.at };
    case 'fail':
      if (!isAlive(state) && state.status !== 'queued') return refuse();
      return {
        status: 'failed',
        finishedAt: event.at,
        reason: event.reason,
        ...(isAlive(state) ? { startedAt: state.startedAt } : {}),
      };
    default:
      return unreachable(event);
  }
}

/** Claimed by a launcher and not ended. */
export function isAlive(
  state: RunnerJobState,
): state is RunnerJobState & { status: 'running' | 'cancel_requested' } {
  return state.status === 'running' || state.status === 'cancel_requested';
}

function exitStatus(
  state: RunnerJobState & { status: 'running' | 'cancel_requested' },
  exitCode: number,
): 'succeeded' | 'failed' | 'canceled' {
  if (state.status === 'cancel_requested') return 'canceled';
  return exitCode === 0 ? 'succeeded' : 'failed';
}
