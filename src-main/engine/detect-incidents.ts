// Detects incidents: double work that only two owners can cause, and outcomes that contradict a
// person's decision. Every device examines the rows of a merge and its own later writes. Incident
// ids are deterministic, so all devices write the same row.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import {
  epochTie,
  findDoubleEffect,
  findDoubleRun,
  findLateFinding,
  type CommittedRun,
  type Finding,
} from '#shared/incidents.ts';
import { tiedEpochs } from '#shared/ownership.ts';

/** The rows that changed. */
export interface ChangedRows {
  readonly mutationIds: Iterable<string>;
  readonly eventIds: Iterable<string>;
  readonly claimedWorkflowIds: Iterable<string>;
}

/** Call inside a write. The cost follows the number of changed rows, not the history. */
export function detectIncidents(context: EngineContext, changed: ChangedRows): void {
  const findings = [
    ...[...changed.mutationIds].flatMap((id) => findInMutation(context, id)),
    ...[...changed.eventIds].flatMap((id) => findInEvent(context, id)),
    ...[...changed.claimedWorkflowIds].flatMap((id) => findInClaims(context, id)),
  ];
  for (const finding of findings) {
    if (context.stores.incidents.add(finding)) context.log.warn({ finding }, 'incident detected');
  }
}

/**
 * Call after a write of this run. The rows of another owner may have been merged before it. A
 * workflow that never changed its owner is skipped.
 */
export function detectIncidentsOfRun(context: EngineContext, run: HandlerRun): void {
  const { ownership, events } = context.stores;
  const isOnlyOwner = run.epoch === 1 && ownership.holds(run.workflowId, 1);
  if (isOnlyOwner) return;
  detectIncidents(context, {
    mutationIds: [mutationId(run.id)],
    eventIds: events.takenBy(run.id),
    claimedWorkflowIds: [],
  });
}

function findInMutation({ stores: { incidents } }: EngineContext, id: string): Finding[] {
  const row = incidents.ofMutation(id);
  if (!row) return [];
  const effect = row.effectId === null ? null : findDoubleEffect(incidents.ofEffect(row.effectId));
  return [effect, findLateFinding(row)].flatMap((finding) => finding ?? []);
}

function findInEvent(context: EngineContext, eventId: string): Finding[] {
  const { incidents } = context.stores;
  return [...incidents.committedWith(eventId)].flatMap(([attempt, runs]) => {
    const finding = findDoubleRun(`${eventId}:${attempt}`, runs);
    // If both runs made the effect, the double effect is the incident, and this is not a second one.
    return finding && !hadEffectTwice(context, runs) ? [finding] : [];
  });
}

function hadEffectTwice(
  { stores: { incidents } }: EngineContext,
  runs: readonly CommittedRun[],
): boolean {
  return runs.some(({ runId }) => {
    const effect = incidents.ofMutation(mutationId(runId))?.effectId;
    return effect != null && findDoubleEffect(incidents.ofEffect(effect)) !== null;
  });
}

function findInClaims({ stores }: EngineContext, workflowId: string): Finding[] {
  const claims = stores.ownership.claims(workflowId);
  return tiedEpochs(claims).map((epoch) =>
    epochTie(
      workflowId,
      epoch,
      claims.filter((claim) => claim.epoch === epoch).map(({ claimedAt }) => claimedAt),
    ),
  );
}
