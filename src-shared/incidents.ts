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

/** A ledger row with all of its sides: the device that made it, twice, and a later owner. */
export interface AllSides {
  readonly mutationId: string;
  readonly workflowId: string;
  readonly effectId: string | null;
  readonly made: OneSide;
  /** Of the same device, after a crash. */
  readonly recovered: OneSide | null;
  readonly taken: OneSide | null;
}

export interface OneSide {
  readonly status: string;
  readonly resolvedBy: Resolution | null;
  /** Identifies the decision. The sides that continue from it have the same. */
  readonly resolvedAt: number | null;
  /** A person decided to send it again. */
  readonly isResent: boolean;
  readonly updatedAt: number;
}

/** `rows` holds every row of one effect. A skipped unknown outcome counts, because it may have happened. */
export function findDoubleEffect(rows: readonly AllSides[]): Finding | null {
  const sent = rows.flatMap((row) => {
    const happened = provenEffects(row);
    return happened.length > 0 ? happened : skippedUnknown(row);
  });
  const [row] = rows;
  if (sent.length < 2 || !row?.effectId) return null;
  return finding('double_effect', row.workflowId, row.effectId, sent);
}

/** Whether the effect provably happened more than once. */
export function happenedTwice(rows: readonly AllSides[]): boolean {
  return rows.flatMap(provenEffects).length > 1;
}

/** The sides of the row that prove an effect. */
function provenEffects(row: AllSides): OneSide[] {
  const { made } = row;
  const later = laterSides(row).filter(({ status }) => status === 'applied');
  // An outcome that was checked later or that a person asserted is the first effect, not a second one.
  const asserted = isDenied(row) ? undefined : later.find(({ isResent }) => !isResent);
  const first = made.status === 'applied' ? made : asserted;
  const resent = later.filter(({ isResent }) => isResent);
  const sends = new Map(resent.map((side) => [side.resolvedAt, side]));
  return [...(first ? [first] : []), ...sends.values()];
}

/** The side with an unknown outcome that a person skipped. */
function skippedUnknown(row: AllSides): OneSide[] {
  const last = laterSides(row).at(-1) ?? row.made;
  const isOpen = last.status === 'indeterminate' && last.resolvedBy === 'user_skip';
  return isOpen && !isDenied(row) ? [last] : [];
}

function laterSides({ recovered, taken }: AllSides): OneSide[] {
  return [recovered, taken].flatMap((side) => side ?? []);
}

/** The device that made the effect knows that it didn't happen. */
function isDenied({ made, recovered }: AllSides): boolean {
  return made.status === 'failed' || (recovered?.status === 'failed' && !recovered.resolvedBy);
}

/** The device that made the effect contradicts a person's decision about it. */
export function findLateFinding(row: AllSides): Finding | null {
  const { mutationId, workflowId, made, recovered, taken } = row;
  const sides = [
    contradiction(made, recovered),
    contradiction(made, taken),
    contradiction(recovered, taken),
  ].flatMap((pair) => pair ?? []);
  return sides.length > 0 ? finding('late_finding', workflowId, mutationId, sides) : null;
}

function contradiction(found: OneSide | null, decided: OneSide | null): OneSide[] | null {
  if (!found || !decided || found.resolvedBy !== null) return null;
  const isContradicted =
    (decided.resolvedBy === 'user_assert_failed' && found.status === 'applied') ||
    (decided.resolvedBy === 'user_assert_applied' && found.status === 'failed');
  return isContradicted ? [found, decided] : null;
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
