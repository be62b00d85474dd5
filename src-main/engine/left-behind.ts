// Reads what a version of a workflow leaves behind. Writes nothing.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';
import { leftBehindBy, MAX_COUNTED_LEFT, type LeftBehind } from '#shared/left-behind.ts';

/** `isBusy`: the lane is executing a run, which ends with the version that it began with. */
export function findLeftBehind(
  { stores }: Pick<EngineContext, 'stores'>,
  workflowId: string,
  version: HandlerConfig,
  isBusy: boolean,
): LeftBehind[] {
  const waiting = stores.topics
    .list(workflowId)
    .filter(({ name }) => !version.topics.includes(name))
    .map(({ id, name }) => ({
      topic: name,
      count: stores.events.count(id, 'pending', MAX_COUNTED_LEFT),
    }));
  const unfinished = stores.handlerRuns
    .open(workflowId)
    .filter(({ handlerType, state }) => {
      return handlerType === 'consumer' && (!isBusy || state.phase === 'suspended');
    })
    .map(({ handlerName }) => handlerName);
  return leftBehindBy(version, { waiting, unfinished });
}
