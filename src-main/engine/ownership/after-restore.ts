// Workflows after a restore. The backup doesn't contain what happened after it was made, so its
// waiting events and unfinished runs could be processed twice. The workflows belong to the device's
// former id, so none of them runs; a take-over pauses each until a person resumes it.
import type { EngineContext } from '#main/engine/engine-context.ts';
import {
  markRestored,
  readRestored,
  readWentBack,
  type Restored,
} from '#main/store/queries/backup-mark.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { isRestoredReason, restoredReason } from '#shared/restored-reason.ts';

/** Events and runs that could be processed twice. */
export interface RepeatRisk {
  readonly workflowId: string;
  /** Ids of events that were neither consumed nor skipped when the backup was made. */
  readonly waiting: readonly string[];
  /** Number of runs that had not ended. */
  readonly unfinished: number;
  /** Whether this device owns the workflow by now. */
  readonly isOurs: boolean;
}

/** Null if the workflow is not from a backup, or another device has taken it over since. */
export function repeatRisk(context: EngineContext, workflowId: string): RepeatRisk | null {
  const { stores } = context;
  const restored = readRestored(stores.settings);
  if (!restored || !isFromBackup(context, restored, workflowId)) return null;
  const runs = stores.handlerRuns.open(workflowId);
  return {
    workflowId,
    waiting: stores.events
      .unfinished(workflowId)
      .filter((id) => (stores.events.get(id)?.createdAt ?? 0) <= restored.openedAt),
    unfinished: runs.filter((run) => isFromBefore(context, restored, run)).length,
    isOurs: stores.ownership.epoch(workflowId) !== null,
  };
}

/** Call in the write of a take-over, before open runs are adopted. Null if it need not pause. */
export function restoredPauseReason(context: EngineContext, workflowId: string): string | null {
  const restored = readRestored(context.stores.settings);
  const risk = repeatRisk(context, workflowId);
  if (!restored || !risk) return null;
  const open = [
    `${risk.waiting.length} waiting ${risk.waiting.length === 1 ? 'event' : 'events'}`,
    `${risk.unfinished} unfinished ${risk.unfinished === 1 ? 'run' : 'runs'}`,
  ];
  return restoredReason(dayAndTime(restored.madeAt), open);
}

/**
 * This device's own database went back, and its peers don't know everything that is missing. Pauses
 * each workflow that it owns, as a take-over after a restore does.
 */
export function holdAsRestored(context: EngineContext): void {
  const { stores, store } = context;
  const wentBack = readWentBack(stores.settings);
  if (!wentBack) return;
  const { madeAt, openedAt } = wentBack;
  store.db.write(() => {
    markRestored(stores.settings, { madeAt, formerDeviceId: store.deviceId, openedAt });
    for (const workflowId of stores.workflows.ids()) {
      if (stores.ownership.epoch(workflowId) === null) continue;
      const reason = restoredPauseReason(context, workflowId);
      if (reason !== null) stores.workflows.setStatus(workflowId, 'paused', reason);
    }
  });
}

/** Whether it waits for a person because of the restore. A later pause of a person doesn't count. */
export function isHeldByRestore(context: EngineContext, workflowId: string): boolean {
  const risk = repeatRisk(context, workflowId);
  if (!risk?.isOurs) return risk !== null;
  const workflow = context.stores.workflows.get(workflowId);
  return workflow?.status === 'paused' && isRestoredReason(workflow.statusReason);
}

/** Skips the events that were pending in the backup. Returns their number. */
export function skipWaitingEvents(context: EngineContext, workflowId: string): number {
  const { stores, store } = context;
  return store.db.write(() => {
    const waiting = repeatRisk(context, workflowId)?.waiting ?? [];
    return waiting.filter(
      (id) =>
        stores.events.get(id)?.state.status === 'pending' &&
        stores.events.move(id, { type: 'skip', reason: 'by_person' }).type === 'moved',
    ).length;
  });
}

/** The former device owned it when the backup was made, and only this device took it over since. */
function isFromBackup(
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

function isFromBefore(
  { store }: EngineContext,
  { formerDeviceId, openedAt }: Restored,
  { deviceId, startTimestamp }: HandlerRun,
): boolean {
  // After a restore this device is a new one, so its own runs are later than the backup.
  if (formerDeviceId !== store.deviceId) return deviceId !== store.deviceId;
  return Date.parse(startTimestamp) <= openedAt;
}

function dayAndTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
