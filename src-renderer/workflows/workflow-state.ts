// How a workflow stands, in one word.
import type { WorkflowView } from '#shared/api/contract.ts';
import type { WorkflowState } from '#renderer/text.ts';

export function workflowState(workflow: WorkflowView): WorkflowState {
  const { status, isBusy, openQuestions } = workflow;
  if (status === 'paused') return isBusy ? 'pausing' : 'paused';
  if (isBusy) return 'running';
  return openQuestions > 0 ? 'waiting' : 'active';
}
