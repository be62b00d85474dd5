// What only two owners could have done, or what turned out to be otherwise than a person said. Found
// after a merge, shown, never hidden. Every device that finds one names it alike.
import { incidentId } from '#shared/ids.ts';
import type { Resolution } from '#shared/machines/mutation.ts';

export const INCIDENT_KINDS = ['double_effect', 'double_run', 'epoch_tie', 'late_finding'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];

export interface Finding {
  readonly id: string;
  readonly kind: IncidentKind;
  readonly workflowId: string;
  /** An effect id; an event and its attempt; an epoch; a mutation. */
  readonly about: string;
  /** Of the rows, not of whoever finds it. */
  readonly at: number;
}

/** One row of the ledger as both sides wrote it: the maker, and a later owner beside it. */
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
  /** Sent once more on a person's word. */
  readonly isResent: boolean;
  readonly updatedAt: number;
}

/** `rows`: all of one effect. Those of which nobody will ever know count, too: it may have been twice. */
export function findDoubleEffect(rows: readonly BothSides[]): Finding | null {
  const sent = rows.flatMap((row) => {
    const happened = timesOf(row);
    return happened.length > 0 ? happened : leftOpen(row);
  });
  const [row] = rows;
  if (sent.length < 2 || !row?.effectId) return null;
  return finding('double_effect', row.workflowId, row.effectId, sent);
}

/** Whether it is known to have happened more than once. */
export function happenedTwice(rows: readonly BothSides[]): boolean {
  return rows.flatMap(timesOf).length > 1;
}

/** The times that it happened, as far as the row knows. */
function timesOf({ made, taken }: BothSides): OneSide[] {
  const later = taken?.status === 'applied' ? taken : null;
  // What a later owner asked about or was told is the maker's effect, not another one.
  const told = made.status !== 'failed' && !later?.isResent ? later : null;
  const first = made.status === 'applied' ? made : told;
  return [first, later?.isResent ? later : null].flatMap((side) => side ?? []);
}

/** A person went on without knowing. */
function leftOpen({ made, taken }: BothSides): OneSide[] {
  const last = taken ?? made;
  const isOpen = last.status === 'indeterminate' && last.resolvedBy === 'user_skip';
  return isOpen && made.status !== 'failed' ? [last] : [];
}

/** A person said one thing, and the device that made the effect another. */
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

/** `runs`: all that committed with one event in one attempt. */
export function findDoubleRun(about: string, runs: readonly CommittedRun[]): Finding | null {
  const owners = new Set(runs.map(({ deviceId, epoch }) => `${epoch} ${deviceId}`));
  const [run] = runs;
  if (owners.size < 2 || !run) return null;
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
