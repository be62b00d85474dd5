// The calls of the editor.
import type { Handlers } from '#main/api/dispatch.ts';
import { toHandlerRunDetail } from '#main/api/views/handler-run-views.ts';
import { COUNT_UP_TO, requireWorkflow } from '#main/api/views/workflow-views.ts';
import { dryRun, type Tried } from '#main/authoring/dry-run.ts';
import type { FileDesk } from '#main/authoring/workflow-file-editor.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { DryRun, workflowFilesContract } from '#shared/api/workflow-files.ts';
import { topicId } from '#shared/ids.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export function createWorkflowFileHandlers(
  engine: Engine,
  desk: FileDesk,
): Pick<Handlers, keyof typeof workflowFilesContract> {
  const { stores } = engine.context;
  return {
    'workflows.file': ({ workflowId }) => {
      requireWorkflow(stores, workflowId);
      return desk.read(workflowId);
    },
    'workflows.saveFile': ({ workflowId, source, basedOn }) => {
      requireWorkflow(stores, workflowId);
      return desk.save(workflowId, source, basedOn);
    },
    'workflows.newFile': ({ fileName, source }) => desk.create(fileName, source),
    'workflows.try': (request) => dryRun(engine, request, report),
  };
}

function report({ engine, workflowId, warnings, isCut }: Tried): DryRun {
  const { stores } = engine.context;
  const { name } = requireWorkflow(stores, workflowId);
  const { runs } = stores.handlerRuns.list({ workflowId, limit: MAX_PAGE_SIZE });
  const pending = stores.topics.list(workflowId).map((topic) => ({
    name: topic.name,
    pending: stores.events.count(topicId(workflowId, topic.name), 'pending', COUNT_UP_TO),
  }));
  return {
    name,
    warnings: [...warnings],
    runs: runs.toReversed().map((run) => toHandlerRunDetail(engine, run)),
    pending: pending.filter((topic) => topic.pending > 0),
    isCut,
  };
}
