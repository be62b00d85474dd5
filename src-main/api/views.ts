// How rows look to whoever shows them.
import type { ScriptRun } from '#main/store/script-runs.ts';
import type { Stores } from '#main/store/stores.ts';
import type { Workflow } from '#main/store/workflows.ts';
import type { RunView, WorkflowView } from '#shared/api/contract.ts';

export function toWorkflowView(stores: Stores, workflow: Workflow): WorkflowView {
  return {
    id: workflow.id,
    name: workflow.name,
    status: workflow.status,
    scriptId: workflow.scriptId,
    createdAt: workflow.createdAt,
    updatedAt: workflow.updatedAt,
    activeRunId: stores.runContexts.get(workflow.id, 'main')?.activeRunId ?? null,
  };
}

export function toRunView(stores: Stores, run: ScriptRun): RunView {
  const { state } = run;
  const ended = 'terminalEventId' in state ? state : undefined;
  return {
    id: run.id,
    workflowId: run.workflowId,
    workflowName: stores.workflows.get(run.workflowId)?.name ?? run.workflowId,
    lane: run.lane,
    status: state.status,
    trigger: run.trigger,
    startRequestId: run.startRequestId,
    scriptId: run.scriptId,
    runStartSha: run.runStartSha,
    runEndSha: ended?.runEndSha ?? null,
    flags: run.flags,
    sandboxId: ('sandboxId' in state ? state.sandboxId : undefined) ?? null,
    terminalEventId: ended?.terminalEventId ?? null,
    error: ended?.error ?? null,
    deviceId: run.deviceId,
    createdAt: run.createdAt,
    endedAt: ended?.endedAt ?? null,
  };
}
