// How a workflow stands, in one word.
import type { WorkflowView } from '#shared/api/contract.ts';
import type { WorkflowState } from '#renderer/text.ts';

export function workflowState(workflow: WorkflowView): WorkflowState {
  const { status, isBusy, openQuestions } = workflow;
  if (status === 'paused') return isBusy ? 'pausing' : 'paused';
  if (openQuestions > 0) return 'waiting';
  if (failingHandlers(workflow).length > 0) return 'failing';
  return isBusy ? 'running' : 'active';
}

/** Whose last run that came to an end failed, as far as the last runs tell. */
export function failingHandlers({ recent }: Pick<WorkflowView, 'recent'>): string[] {
  const lastEnd = new Map<string, string>();
  for (const { handlerName, phase } of recent) {
    if (phase !== 'committed' && phase !== 'failed') continue;
    if (!lastEnd.has(handlerName)) lastEnd.set(handlerName, phase);
  }
  return [...lastEnd].filter(([, phase]) => phase === 'failed').map(([name]) => name);
}
