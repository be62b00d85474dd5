// Handlers of the workflow file editor and of dry runs.
import type { Handlers } from '#main/api/dispatch.ts';
import { toHandlerRunDetail } from '#main/api/views/handler-run-views.ts';
import { MAX_COUNTED, requireWorkflow } from '#main/api/views/workflow-views.ts';
import { dryRun, type DryRunResult } from '#main/authoring/dry-run.ts';
import type { WorkflowFileEditor } from '#main/authoring/workflow-file-editor.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { DryRun, workflowFilesContract } from '#shared/api/workflow-files.ts';
import { topicId } from '#shared/ids.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export function createWorkflowFileHandlers(
  engine: Engine,
  editor: WorkflowFileEditor,
): Pick<Handlers, keyof typeof workflowFilesContract> {
  const { stores } = engine.context;
  return {
    'workflows.file': ({ workflowId }) => {
      requireWorkflow(stores, workflowId);
      return editor.read(workflowId);
    },
    'workflows.saveFile': ({ workflowId, source, basedOn }) => {
      requireWorkflow(stores, workflowId);
      return editor.save(workflowId, source, basedOn);
    },
    'workflows.newFile': ({ fileName, source }) => editor.create(fileName, source),
    'workflows.try': (request) => dryRun(engine, request, toDryRunView),
  };
}

function toDryRunView({ engine, workflowId, warnings, isCut }: DryRunResult): DryRun {
  const { stores } = engine.context;
  const { name } = requireWorkflow(stores, workflowId);
  const { runs } = stores.handlerRuns.list({ workflowId, limit: MAX_PAGE_SIZE });
  const pending = stores.topics.list(workflowId).map((topic) => ({
    name: topic.name,
    pending: stores.events.count(topicId(workflowId, topic.name), 'pending', MAX_COUNTED),
  }));
  return {
    name,
    warnings: [...warnings],
    runs: runs.toReversed().map((run) => toHandlerRunDetail(engine, run)),
    pending: pending.filter((topic) => topic.pending > 0),
    isCut,
  };
}
