// What every stage of an input works with, and how it claims a run: lease and first transition in
// one write. A stage that lost its lease writes nothing more.
import type { Logger } from 'pino';
import type { CommitQueue } from '#main/engine/commit-queue.ts';
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { AutomationRuns, Move, MoveResult } from '#main/inputs/automation-runs.ts';
import type { Lease } from '#main/store/automation-leases.ts';
import type { AutomationRun } from '#main/store/automation-runs.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';

export interface StageContext {
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly runs: AutomationRuns;
  readonly commits: CommitQueue;
  readonly artifacts: ArtifactStore;
  /** Who claims: another one for each start of the host. */
  readonly workerId: string;
  readonly log: Logger;
  /** Something was published in this workflow. */
  readonly wake: (workflowId: string) => void;
  /** Told of every durable step, before and after: where the crash tests pull the plug. */
  readonly probe: (point: string) => void;
}

/** The lease was lost, or the run is another device's: what this stage did is not kept. */
export class StageLost extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'StageLost';
  }
}

export interface Claimed {
  readonly run: AutomationRun;
  readonly lease: Lease;
}

/**
 * To be called inside a write. Null: there is nothing to do for it here any more. Throws `StageLost`
 * while somebody else holds the lease.
 */
export function claim(
  context: StageContext,
  runId: string,
  first: Pick<Move, 'event' | 'times'>,
): Claimed | null {
  const { stores, runs, workerId } = context;
  const known = stores.automationRuns.get(runId);
  if (!known || !isUnfinished(known.state.status)) return null;
  const lease = stores.automationLeases.claim(runId, workerId);
  if (!lease) throw new StageLost(`Somebody else works on the run ${runId}.`);
  const moved = runs.move(runId, { actor: 'stage', lease, ...first });
  if (moved.type === 'moved' || moved.type === 'repeated') return { run: moved.run, lease };
  stores.automationLeases.release(lease);
  return null;
}

/** A later write of the stage: refused, it must keep nothing. */
export function orLost(result: MoveResult): void {
  if (result.type === 'moved' || result.type === 'repeated') return;
  throw new StageLost(result.message);
}
