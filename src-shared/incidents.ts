// Detects incidents after a merge: work that only two simultaneous owners could have done, and effects
// that contradict a person's decision. Every device derives the same id for an incident.
import { incidentId } from '#shared/ids.ts';
import type { Resolution } from '#shared/machines/mutation.ts';

export const INCIDENT_KINDS = ['double_effect', 'double_run', 'epoch_tie', 'late_finding'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];

export interface Finding {
  readonly id: string;
  readonly kind: IncidentKind;
  readonly workflowId: string;
  /** By kind: an effect id, an event with its attempt, an epoch or a mutation id. */
  readonly about: string;
  /** Derived from the rows, so that it is the same on every device. */
  readonly at: number;
}

/** A ledger row with both of its sides: the device that made it and a later owner. */
export interface BothSides {
  readonly mutationId: string;
  readonly workflowId: string;
  readonly effectId: string | null;
  readonly made: OneSide;
  readonly taken: OneSide | null;
}

export interface OneSide {
  readonly status: string;
  readonly resolvedBy: Resolution | null;
  /** A person decided to send it again. */
  readonly isResent: boolean;
  readonly updatedAt: number;
}

/** `rows` holds every row of one effect. A skipped unknown outcome counts, because it may have happened. */
export function findDoubleEffect(rows: readonly BothSides[]): Finding | null {
  const sent = rows.flatMap((row) => {
    const happened = provenEffects(row);
    return happened.length > 0 ? happened : skippedUnknown(row);
  });
  const [row] = rows;
  if (sent.length < 2 || !row?.effectId) return null;
  return finding('double_effect', row.workflowId, row.effectId, sent);
}

/** Whether the effect provably happened more than once. */
export function happenedTwice(rows: readonly BothSides[]): boolean {
  return rows.flatMap(provenEffects).length > 1;
}

/** The sides of the row that prove an effect. */
function provenEffects({ made, taken }: BothSides): OneSide[] {
  const later = taken?.status === 'applied' ? taken : null;
  // An outcome that a later owner checked or a person asserted is the first effect, not a second one.
  const asserted = made.status !== 'failed' && !later?.isResent ? later : null;
  const first = made.status === 'applied' ? made : asserted;
  return [first, later?.isResent ? later : null].flatMap((side) => side ?? []);
}

/** The side with an unknown outcome that a person skipped. */
function skippedUnknown({ made, taken }: BothSides): OneSide[] {
  const last = taken ?? made;
  const isOpen = last.status === 'indeterminate' && last.resolvedBy === 'user_skip';
  return isOpen && made.status !== 'failed' ? [last] : [];
}

/** The device that made the effect contradicts a person's decision about it. */
export function findLateFinding({
  mutationId,
  workflowId,
  made,
  taken,
}: BothSides): Finding | null {
  if (!taken || made.resolvedBy !== null) return null;
  const isContradicted =
    (taken.resolvedBy === 'user_assert_failed' && made.status === 'applied') ||
    (taken.resolvedBy === 'user_assert_applied' && made.status === 'failed');
  return isContradicted ? finding('late_finding', workflowId, mutationId, [made, taken]) : null;
}

export interface CommittedRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly deviceId: string;
  readonly epoch: number;
  readonly endedAt: number;
}

/**
 * `runs` holds every committed run of one event and attempt. Two of them come from two owners, or
 * from one whose database went back in between.
 */
export function findDoubleRun(about: string, runs: readonly CommittedRun[]): Finding | null {
  const [run] = runs;
  if (runs.length < 2 || !run) return null;
  const times = runs.map(({ endedAt }) => ({ updatedAt: endedAt }));
  return finding('double_run', run.workflowId, about, times);
}

export function epochTie(workflowId: string, epoch: number, claimedAt: readonly number[]): Finding {
  const times = claimedAt.map((updatedAt) => ({ updatedAt }));
  return finding('epoch_tie', workflowId, String(epoch), times);
}

function finding(
  kind: IncidentKind,
  workflowId: string,
  about: string,
  times: readonly { readonly updatedAt: number }[],
): Finding {
  const at = Math.max(...times.map(({ updatedAt }) => updatedAt));
  return { id: incidentId(kind, workflowId, about), kind, workflowId, about, at };
}
