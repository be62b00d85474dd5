// The state machine of a session of the engine in one workflow lane (the run of spec 000). A session is
// active until one terminal event ends it. Its start parameters never change.
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';
import {
  ACTIVE_SCRIPT_RUN_STATUSES,
  type ScriptRunStatus,
  type TerminalScriptRunStatus,
} from '#shared/session-enums.ts';

export type ScriptRunState =
  | { readonly status: 'booting' }
  | { readonly status: 'running'; readonly sandboxId: string }
  | { readonly status: 'validating'; readonly sandboxId: string }
  | {
      readonly status: TerminalScriptRunStatus;
      readonly terminalEventId: string;
      readonly endedAt: number;
      readonly sandboxId?: string;
      readonly runEndSha?: string;
      readonly error?: string;
    };

export type ScriptRunTransition =
  | { readonly type: 'bind'; readonly sandboxId: string }
  | { readonly type: 'validate' }
  | {
      readonly type: 'end';
      readonly status: TerminalScriptRunStatus;
      readonly terminalEventId: string;
      readonly endedAt: number;
      readonly runEndSha?: string;
      readonly error?: string;
    };

/** The runs of a session that did not end well. */
export interface UnfinishedRuns {
  /** Failed, and nothing retries them. */
  readonly failed: number;
  /** Open, or waiting for their retry. */
  readonly left: number;
}

export function endOfSession({ failed, left }: UnfinishedRuns): TerminalScriptRunStatus {
  if (failed > 0) return 'failed';
  return left > 0 ? 'suspended' : 'completed';
}

export function isActive(status: ScriptRunStatus): boolean {
  return (ACTIVE_SCRIPT_RUN_STATUSES as readonly string[]).includes(status);
}

export function transitionScriptRun(
  state: ScriptRunState,
  event: ScriptRunTransition,
): ScriptRunState | Rejection {
  switch (event.type) {
    case 'bind':
      if (state.status === 'booting') return { status: 'running', sandboxId: event.sandboxId };
      return reject('session', state.status, event.type);
    case 'validate':
      if (state.status === 'running') return { status: 'validating', sandboxId: state.sandboxId };
      return reject('session', state.status, event.type);
    case 'end': {
      if (!isActive(state.status)) return reject('session', state.status, event.status);
      const { type: _, ...end } = event;
      return state.status === 'booting' ? end : { ...end, ...withSandbox(state) };
    }
    default:
      return unreachable(event);
  }
}

function withSandbox(state: ScriptRunState): { sandboxId?: string } {
  return 'sandboxId' in state && state.sandboxId !== undefined
    ? { sandboxId: state.sandboxId }
    : {};
}
