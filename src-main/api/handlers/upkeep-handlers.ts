// Handlers of backups, retention, and resuming after a restore.
import type { Handlers } from '#main/api/dispatch.ts';
import { requireWorkflow } from '#main/api/views/workflow-views.ts';
import {
  isHeldByRestore,
  repeatRisk,
  skipWaitingEvents,
} from '#main/engine/ownership/after-restore.ts';
import type { Engine } from '#main/engine/engine.ts';
import { readRestored } from '#main/store/queries/backup-mark.ts';
import type { Backups } from '#main/upkeep/backups.ts';
import type { Retention } from '#main/upkeep/retention.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import type { upkeepContract } from '#shared/api/upkeep.ts';

export function createUpkeepHandlers(
  engine: Engine,
  backups: Backups,
  retention: Retention,
): Pick<Handlers, keyof typeof upkeepContract> {
  return {
    'backups.list': () => ({
      ...backups.settings,
      folder: backups.folder,
      backups: backups.list(),
    }),
    'backups.make': ({ to }) => backups.make(to),
    'backups.choose': ({ isDaily, keep }) => {
      backups.choose({
        ...(isDaily === undefined ? {} : { isDaily }),
        ...(keep === undefined ? {} : { keep }),
      });
      return backups.settings;
    },
    'retention.get': () => retention.view(),
    'retention.choose': ({ days }) => {
      retention.choose(days);
      return retention.view();
    },
    'retention.preview': ({ days }) => retention.preview(days),
    'retention.pass': async () => ({ rows: await retention.pass() }),
    'restored.get': () => describeRestored(engine),
    'restored.goOn': ({ workflowId, waiting }) => {
      const { stores } = engine.context;
      const { name } = requireWorkflow(stores, workflowId);
      if (!repeatRisk(engine.context, workflowId)) throw notRestored(name);
      if (!engine.ownership.owns(workflowId)) engine.ownership.takeOver(workflowId);
      const skipped = waiting === 'skip' ? skipWaitingEvents(engine.context, workflowId) : 0;
      engine.commands.resume(workflowId);
      return { skipped, openQuestions: stores.mutations.byStatus('indeterminate').length };
    },
  };
}

function describeRestored(engine: Engine): CallOutput<'restored.get'> {
  const { stores } = engine.context;
  const restored = readRestored(stores.settings);
  if (!restored) return { madeAt: null, workflows: [] };
  const ids = engine.context.stores.workflows.ids();
  return {
    madeAt: restored.madeAt,
    workflows: ids.flatMap((id) => {
      const repeat = repeatRisk(engine.context, id);
      const workflow = stores.workflows.get(id);
      if (!workflow || !repeat || !isHeldByRestore(engine.context, id)) return [];
      const { waiting, unfinished, isOurs } = repeat;
      return { id, name: workflow.name, waiting: waiting.length, unfinished, isOurs };
    }),
  };
}

function notRestored(name: string): ApiError {
  return new ApiError({
    type: 'not_found',
    message: `The workflow "${name}" is not on hold after a restore. Nothing was changed.`,
  });
}
