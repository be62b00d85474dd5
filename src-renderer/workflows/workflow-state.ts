// The state of a workflow in one word.
import type { WorkflowView } from '#shared/api/contract.ts';
import { handlerThatStopped } from '#shared/stop-reason.ts';
import type { WorkflowState } from '#renderer/text/status-labels.ts';

export function workflowState(workflow: WorkflowView): WorkflowState {
  const { status, statusReason, isBusy, openQuestions, failing, waitsFor, owner } = workflow;
  if (owner.state === 'released') return 'released';
  if (status === 'paused') {
    if (isBusy) return 'pausing';
    return handlerThatStopped(statusReason) === null ? 'paused' : 'stopped';
  }
  if (openQuestions > 0) return 'waiting';
  if (failing.length > 0) return 'failing';
  if (waitsFor.length > 0 && !isBusy) {
    return waitsFor.some(({ isNetwork }) => isNetwork) ? 'offline' : 'held';
  }
  return isBusy ? 'running' : 'active';
}
