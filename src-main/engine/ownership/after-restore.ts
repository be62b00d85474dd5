// A database from a backup does not know what was done after it. Its workflows belong to the device
// that this one was then, so nothing of them runs; taken over, each stands still until the person
// has looked at what could be done a second time.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { readRestored, type Restored } from '#main/store/queries/backup-mark.ts';

export interface CouldRepeat {
  readonly workflowId: string;
  /** Events that were neither consumed nor skipped when the backup was made. */
  readonly waiting: readonly string[];
  /** Runs that had not ended. */
  readonly unfinished: number;
  /** Whether this device runs it by now. */
  readonly isOurs: boolean;
}

/** Null: nothing of it is from a backup, or somebody else has gone on with it. */
export function couldRepeat(context: EngineContext, workflowId: string): CouldRepeat | null {
  const { stores, store } = context;
  const restored = readRestored(stores.settings);
  if (!restored || !wasOurs(context, restored, workflowId)) return null;
  const runs = stores.handlerRuns.open(workflowId);
  return {
    workflowId,
    waiting: stores.events
      .unfinished(workflowId)
      .filter((id) => (stores.events.get(id)?.createdAt ?? 0) <= restored.openedAt),
    unfinished: runs.filter(({ deviceId }) => deviceId !== store.deviceId).length,
    isOurs: stores.ownership.epoch(workflowId) !== null,
  };
}

/** To be called in the write that takes a workflow over, before what is open is adopted. */
export function reasonToPause(context: EngineContext, workflowId: string): string | null {
  const restored = readRestored(context.stores.settings);
  const repeat = couldRepeat(context, workflowId);
  if (!restored || !repeat) return null;
  const open = [
    `${repeat.waiting.length} waiting ${repeat.waiting.length === 1 ? 'event' : 'events'}`,
    `${repeat.unfinished} unfinished ${repeat.unfinished === 1 ? 'run' : 'runs'}`,
  ];
  return `It goes on from a backup of ${dayAndTime(restored.madeAt)}. What it did after that is not known here and could happen again: ${open.join(', ')}, and whatever its schedules bring. See what was done, then resume it, or skip what waits with "holdfast restored".`;
}

/** Passes over what waited already when the backup was made. The number of events. */
export function skipWhatWaited(context: EngineContext, workflowId: string): number {
  const { stores, store } = context;
  return store.db.write(() => {
    const waiting = couldRepeat(context, workflowId)?.waiting ?? [];
    return waiting.filter(
      (id) =>
        stores.events.get(id)?.state.status === 'pending' &&
        stores.events.move(id, { type: 'skip', reason: 'by_person' }).type === 'moved',
    ).length;
  });
}

/** It was the former device's when the backup was made, and nobody but we has taken it over. */
function wasOurs(
  { stores, store }: EngineContext,
  { formerDeviceId: former }: Restored,
  workflowId: string,
): boolean {
  const ownership = stores.ownership.of(workflowId);
  if (ownership.type === 'nobody') {
    return stores.workflows.get(workflowId)?.createdByDeviceId === former;
  }
  const { deviceId } = ownership.claim;
  if (deviceId !== store.deviceId) return deviceId === former;
  return stores.ownership.claims(workflowId).some((claim) => claim.deviceId === former);
}

function dayAndTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
