// The artifacts of an input: those that its stages made, and those that handlers and people attached.
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { Stores } from '#main/store/stores.ts';
import { STAGE_ARTIFACTS, type Artifact } from '#shared/inputs/artifacts.ts';
import { MAX_ARTIFACTS_LISTED } from '#shared/limits.ts';

/** Oldest first. A name can occur more than once: the last one counts. */
export function artifactsOf(stores: Stores, runId: string): Artifact[] {
  const run = stores.automationRuns.get(runId);
  if (!run) return [];
  const attached = stores.artifacts.ofRun(runId, MAX_ARTIFACTS_LISTED);
  return [...stageArtifacts(stores, run), ...attached].toSorted(byTime);
}

/** Ids of handler runs sort by time, so the later of two runs of one millisecond comes last. */
export function byTime(one: Artifact, other: Artifact): number {
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  const [a, b] = [one, other].map(({ handlerRunId, name }) => `${handlerRunId ?? ''} ${name}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

function stageArtifacts(stores: Stores, run: AutomationRun): Artifact[] {
  const { artifacts, times, queuedAt } = run;
  const input = stores.triggerEvents.get(run.inputId);
  const madeBy = artifacts?.made_by ?? input?.deviceId ?? '';
  const enrichedAt = times.enrichment_completed_at ?? queuedAt;
  const make = (
    kind: keyof typeof STAGE_ARTIFACTS,
    sha256: string | null | undefined,
    createdAt: number,
    deviceId = madeBy,
  ): Artifact[] =>
    sha256 === null || sha256 === undefined
      ? []
      : [
          {
            id: `${run.id}-${kind}`,
            runId: run.id,
            name: STAGE_ARTIFACTS[kind],
            type: 'application/json',
            bytes: kind === 'completion' ? null : (artifacts?.bytes?.[kind] ?? null),
            sha256,
            maker: 'stage',
            handlerRunId: null,
            deviceId,
            createdAt,
          },
        ];
  return [
    ...make('enrichment', artifacts?.enrichment, enrichedAt),
    ...make('sources', artifacts?.sources, enrichedAt),
    ...make('policy', artifacts?.policy, enrichedAt, artifacts?.policy_by),
    ...make('completion', run.completionArtifactRef, times.completed_at ?? queuedAt),
  ];
}
