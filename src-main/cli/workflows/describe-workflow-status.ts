// The status of a workflow in one line of `holdfast list`.
import { shortId } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';

export function describeWorkflowStatus({
  status,
  statusReason,
  isBusy,
  owner,
  openQuestions,
  draftScriptId,
  leftBehind,
}: WorkflowView): string {
  const draft = draftScriptId === null ? '' : ', has a draft';
  if (owner.state === 'released') {
    return `runs nowhere, handed over to ${shortId(owner.toDeviceId ?? '')}, which has not taken it yet${draft}`;
  }
  if (status === 'paused') {
    const why = statusReason ? `: ${statusReason}` : '';
    return `${isBusy ? 'pausing' : 'paused'}${why}${draft}`;
  }
  if (openQuestions > 0 || leftBehind.length > 0) return `needs you (holdfast inbox)${draft}`;
  return `${isBusy ? 'running' : 'active'}${draft}`;
}
