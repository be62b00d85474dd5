// After a merge: claims what was handed over, takes up what other devices left open, brings the
// statuses of events back to what follows from their runs, and looks for what two owners did. All of
// it follows from the rows, so it can be done twice, or late, and comes to the same.
import { adoptForeignRuns } from '#main/engine/ownership/adopt-foreign-runs.ts';
import { detectIncidents } from '#main/engine/detect-incidents.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { MergedKind, MergedRow } from '#main/store/tables/merged-rows.ts';

/** So many rows are looked at in one write: some milliseconds. */
const BATCH = 200;

/** Takes what waits to be looked at. The workflows that it is about; empty: nothing waited. */
export function processMerged(context: EngineContext): Set<string> {
  const { stores, store } = context;
  return store.db.write(() => {
    const rows = stores.mergedRows.take(BATCH);
    const of = (kind: MergedKind): string[] =>
      rows.filter((row) => row.kind === kind).map(({ id }) => id);
    const workflowIds = workflowsOf(context, rows);
    for (const workflowId of workflowIds) {
      claimIfOurs(context, workflowId);
      takeUp(context, workflowId);
    }
    for (const id of of('ownership_claims')) store.db.changes.note('workflows', id);
    const eventIds = new Set([
      ...of('events'),
      ...of('reservations'),
      ...of('handler_runs').flatMap((id) => stores.events.takenBy(id)),
    ]);
    repair(context, eventIds);
    for (const id of of('automation_runs')) context.inputs.takeUp(id);
    detectIncidents(context, {
      mutationIds: of('mutations'),
      eventIds,
      claimedWorkflowIds: new Set(of('ownership_claims')),
    });
    return workflowIds;
  });
}

/** What was let go of for this device, or was made by it before there were claims. */
export function claimIfOurs(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  const ownership = stores.ownership.of(workflowId);
  if (ownership.type === 'released' && ownership.toDeviceId === store.deviceId) {
    stores.ownership.claim(workflowId, 'handover');
    becameOwner(context, workflowId, 'handover');
  }
  if (ownership.type !== 'nobody') return;
  const workflow = stores.workflows.get(workflowId);
  if (workflow?.createdByDeviceId === store.deviceId) stores.ownership.claim(workflowId, 'added');
}

/** To be called in the write that claimed: what is open, and what waits, is ours from here on. */
export function becameOwner(
  context: EngineContext,
  workflowId: string,
  how: 'handover' | 'takeover',
): ReturnType<typeof adoptForeignRuns> {
  const adopted = adoptForeignRuns(context, workflowId, how);
  repairUnfinished(context, workflowId);
  context.inputs.adopt(workflowId);
  return adopted;
}

/** To be called inside a write, by the owner: what is not done follows again from its runs. */
export function repairUnfinished({ stores }: EngineContext, workflowId: string): void {
  for (const id of stores.events.unfinished(workflowId)) stores.events.repair(id);
}

function takeUp(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  const ownership = stores.ownership.of(workflowId);
  if (ownership.type !== 'owned' || ownership.claim.deviceId !== store.deviceId) return;
  adoptForeignRuns(context, workflowId, ownership.claim.how);
}

/** By the owner alone: its writes travel, and all come to the same rows. */
function repair({ stores }: EngineContext, eventIds: ReadonlySet<string>): void {
  const owned = new Map<string, boolean>();
  for (const id of eventIds) {
    const workflowId = stores.events.get(id)?.workflowId;
    if (workflowId === undefined) continue;
    const isOurs = owned.get(workflowId) ?? stores.ownership.epoch(workflowId) !== null;
    owned.set(workflowId, isOurs);
    if (isOurs) stores.events.repair(id);
  }
}

function workflowsOf({ store }: EngineContext, rows: readonly MergedRow[]): Set<string> {
  const found = rows.flatMap(({ kind, id }) => {
    switch (kind) {
      case 'workflows':
      case 'ownership_claims':
        return [id];
      case 'automation_runs':
        return (
          store.db.value<string>('SELECT automation_id FROM automation_runs WHERE id = ?', id) ?? []
        );
      case 'reservations':
        return store.db.value<string>('SELECT workflow_id FROM events WHERE id = ?', id) ?? [];
      default:
        return store.db.value<string>(`SELECT workflow_id FROM ${kind} WHERE id = ?`, id) ?? [];
    }
  });
  return new Set(found);
}
