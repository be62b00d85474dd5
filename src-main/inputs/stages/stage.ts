// The context shared by all stages of an input, and how a stage claims a run: lease and first
// transition in one write. A stage that lost its lease writes nothing more.
import type { Logger } from 'pino';
import type { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { InputLifecycle, Move, MoveResult } from '#main/input-lifecycle/input-lifecycle.ts';
import type { InputPolicies } from '#main/input-lifecycle/policies.ts';
import type { Lease } from '#main/store/tables/automation-leases.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';

export interface StageContext {
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly runs: InputLifecycle;
  readonly commits: CommitQueue;
  readonly artifacts: ArtifactStore;
  readonly policies: InputPolicies;
  /** Identifies the claiming process: a new id for each start of the host. */
  readonly workerId: string;
  readonly log: Logger;
  /** Called after an event was published in this workflow. */
  readonly wake: (workflowId: string) => void;
  /** Called before and after every durable step; the crash tests kill the process here. */
  readonly probe: (point: string) => void;
}

/** The lease was lost, or another device owns the run: the stage's result is discarded. */
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

/** Must run inside a write. Throws `StageLost` while another worker holds the lease. */
export function claimLease(
  { stores, workerId }: StageContext,
  run: Pick<AutomationRun, 'id' | 'state'>,
): Lease {
  const lease = stores.automationLeases.claim(run.id, workerId, [run.state.status]);
  if (!lease) throw new StageLost(`Another worker holds the lease of the run ${run.id}.`);
  return lease;
}

/** Must run inside a write. Null: the run needs nothing more from this stage. */
export function claim(
  context: StageContext,
  runId: string,
  first: Pick<Move, 'event' | 'times'>,
): Claimed | null {
  const { stores, runs } = context;
  const known = stores.automationRuns.get(runId);
  if (!known || !isUnfinished(known.state.status)) return null;
  const lease = claimLease(context, known);
  const moved = runs.move(runId, { actor: 'stage', lease, ...first });
  if (moved.type === 'moved' || moved.type === 'repeated') return { run: moved.run, lease };
  stores.automationLeases.release(lease);
  return null;
}

/** For later writes of a stage: throws, and so rolls back, where the move was refused. */
export function orLost(result: MoveResult): void {
  if (result.type === 'moved' || result.type === 'repeated') return;
  throw new StageLost(result.message);
}
