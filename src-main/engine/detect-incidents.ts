// Looks for what only two owners could have done. Every device looks, at what a merge brought and at
// what it adds to it itself; whoever finds something makes the same row.
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

export interface ToLookAt {
  readonly mutationIds: Iterable<string>;
  readonly eventIds: Iterable<string>;
  readonly claimedWorkflowIds: Iterable<string>;
}

/** To be called inside a write. Costs what it looks at, not what the history holds. */
export function detect(context: EngineContext, look: ToLookAt): void {
  const findings = [
    ...[...look.mutationIds].flatMap((id) => ofMutation(context, id)),
    ...[...look.eventIds].flatMap((id) => ofEvent(context, id)),
    ...[...look.claimedWorkflowIds].flatMap((id) => ofClaims(context, id)),
  ];
  for (const finding of findings) {
    if (context.stores.incidents.add(finding)) context.log.warn({ finding }, 'incident');
  }
}

/** After what this run wrote: two may have acted, and the other's word may be here already. */
export function detectAround(context: EngineContext, run: HandlerRun): void {
  const { ownership, events } = context.stores;
  const isOnlyOwner = run.epoch === 1 && ownership.holds(run.workflowId, 1);
  if (isOnlyOwner) return;
  detect(context, {
    mutationIds: [mutationId(run.id)],
    eventIds: events.takenBy(run.id),
    claimedWorkflowIds: [],
  });
}

function ofMutation({ stores: { incidents } }: EngineContext, id: string): Finding[] {
  const row = incidents.ofMutation(id);
  if (!row) return [];
  const effect = row.effectId === null ? null : findDoubleEffect(incidents.ofEffect(row.effectId));
  return [effect, findLateFinding(row)].flatMap((finding) => finding ?? []);
}

function ofEvent(context: EngineContext, eventId: string): Finding[] {
  const { incidents } = context.stores;
  return [...incidents.committedWith(eventId)].flatMap(([attempt, runs]) => {
    const finding = findDoubleRun(`${eventId}:${attempt}`, runs);
    // Where both made the effect, that is the incident: one matter is shown once.
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

function ofClaims({ stores }: EngineContext, workflowId: string): Finding[] {
  const claims = stores.ownership.claims(workflowId);
  return tiedEpochs(claims).map((epoch) =>
    epochTie(
      workflowId,
      epoch,
      claims.filter((claim) => claim.epoch === epoch).map(({ claimedAt }) => claimedAt),
    ),
  );
}
