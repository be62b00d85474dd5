// Processes merged rows: claims workflows that were handed to this device, adopts the open runs of
// former owners, repairs event statuses and detects incidents. Everything is derived from the rows,
// so it is idempotent and may run late.
import { adoptForeignRuns } from '#main/engine/ownership/adopt-foreign-runs.ts';
import { detectIncidents } from '#main/engine/detect-incidents.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { recover } from '#main/engine/continuation/recovery.ts';
import { isStorageProblem } from '#main/store/sqlite/sqlite-errors.ts';
import type { MergedKind, MergedRow } from '#main/store/tables/merged-rows.ts';

/** Rows per write: a few milliseconds. */
const BATCH = 200;

export interface ProcessedRows {
  /** 0: no row waited. */
  readonly count: number;
  readonly workflowIds: ReadonlySet<string>;
}

/** Processes the next batch of merged rows. */
export function processMergedRows(context: EngineContext): ProcessedRows {
  const { stores, store } = context;
  try {
    return store.db.write(() => {
      const rows = stores.mergedRows.take(BATCH);
      return { count: rows.length, workflowIds: processRows(context, rows) };
    });
  } catch (error) {
    if (isStorageProblem(error)) throw error;
    return processApart(context);
  }
}

/** A row of the batch fails: each workflow gets a write of its own, and only the failing one is held. */
function processApart(context: EngineContext): ProcessedRows {
  const { stores, store, isolation } = context;
  const rows = store.db.write(() => stores.mergedRows.take(BATCH));
  const byWorkflow = Map.groupBy(rows, (row) => [...workflowsOf(context, [row])][0] ?? null);
  const workflowIds = new Set<string>();
  for (const [workflowId, ofWorkflow] of byWorkflow) {
    // A row without a workflow says too little to be acted on.
    if (workflowId === null) continue;
    workflowIds.add(workflowId);
    isolation.attempt(workflowId, 'Processing merged rows', () =>
      store.db.write(() => processRows(context, ofWorkflow)),
    );
  }
  return { count: rows.length, workflowIds };
}

function processRows(context: EngineContext, merged: readonly MergedRow[]): Set<string> {
  const { stores, store, isolation } = context;
  // A held workflow catches up when it is released.
  const rows = merged.filter(
    (row) => ![...workflowsOf(context, [row])].some((id) => isolation.holds(id)),
  );
  const of = (kind: MergedKind): string[] =>
    rows.filter((row) => row.kind === kind).map(({ id }) => id);
  const workflowIds = workflowsOf(context, rows);
  for (const workflowId of workflowIds) {
    claimIfOurs(context, workflowId);
    adoptIfOwner(context, workflowId);
  }
  for (const id of of('ownership_claims')) store.db.changes.record('workflows', id);
  const eventIds = new Set([
    ...of('events'),
    ...of('reservations'),
    ...of('handler_runs').flatMap((id) => stores.events.takenBy(id)),
  ]);
  repairEvents(context, eventIds);
  for (const id of of('automation_runs')) context.inputs.adoptRun(id);
  detectIncidents(context, {
    mutationIds: of('mutations'),
    eventIds,
    claimedWorkflowIds: new Set(of('ownership_claims')),
  });
  return workflowIds;
}

/** After a workflow was held: does what merges and a start would have done meanwhile. */
export function catchUp(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  store.db.write(() => {
    claimIfOurs(context, workflowId);
    adoptIfOwner(context, workflowId);
    recover(context, workflowId);
    if (stores.ownership.epoch(workflowId) === null) return;
    repairUnfinishedEvents(context, workflowId);
    context.inputs.adopt(workflowId);
  });
}

/** Claims a workflow that was handed to this device, or that it created before claims existed. */
export function claimIfOurs(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  const ownership = stores.ownership.of(workflowId);
  if (ownership.type === 'released' && ownership.toDeviceId === store.deviceId) {
    stores.ownership.claim(workflowId, 'handover');
    adoptWorkflow(context, workflowId, 'handover');
  }
  if (ownership.type !== 'nobody') return;
  const workflow = stores.workflows.get(workflowId);
  if (workflow?.createdByDeviceId === store.deviceId) stores.ownership.claim(workflowId, 'added');
}

/** Call in the write that claimed the workflow. Adopts its open runs, events and inputs. */
export function adoptWorkflow(
  context: EngineContext,
  workflowId: string,
  how: 'handover' | 'takeover',
): ReturnType<typeof adoptForeignRuns> {
  const adopted = adoptForeignRuns(context, workflowId, how);
  repairUnfinishedEvents(context, workflowId);
  // The former owner may have changed the handlers' state since they looked here.
  context.stores.consumerWakes.forgetSeen(workflowId);
  context.stores.consumerWakes.inheritSleep(workflowId);
  context.inputs.adopt(workflowId);
  return adopted;
}

/** Derives the status of unfinished events from their runs. Call inside a write, as the owner. */
export function repairUnfinishedEvents({ stores }: EngineContext, workflowId: string): void {
  for (const id of stores.events.unfinished(workflowId)) stores.events.repair(id);
}

export function adoptIfOwner(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  const ownership = stores.ownership.of(workflowId);
  if (ownership.type !== 'owned' || ownership.claim.deviceId !== store.deviceId) return;
  adoptForeignRuns(context, workflowId, ownership.claim.how);
}

/** Only the owner repairs. The other devices get its writes, so all end with the same rows. */
function repairEvents({ stores, store }: EngineContext, eventIds: ReadonlySet<string>): void {
  const owned = new Map<string, boolean>();
  // A frame can end before the newest column of a row. The rest of the row is merged soon.
  const ofComplete = 'SELECT workflow_id FROM events WHERE id = ? AND status IS NOT NULL';
  for (const id of eventIds) {
    const workflowId = store.db.value<string | null>(ofComplete, id) ?? null;
    if (workflowId === null) continue;
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
