// Enrich: queued → enriching → ready → running. Writes the sanitized payload, its sources and the
// policy as artifacts, then publishes the first event in the same transaction that ends the stage.
// It has no effect outside, so another worker can repeat it after a crash with the same result.
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { Artifacts } from '#main/store/tables/automation-runs.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import { startExecution } from '#main/inputs/stages/execute.ts';
import { policyOf, sanitizedPayload, sourcesOf } from '#main/input-lifecycle/sanitize.ts';
import { claim, orLost, type StageContext } from '#main/inputs/stages/stage.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { ARTIFACT_GRACE_MS } from '#shared/limits.ts';

export async function enrich(context: StageContext, runId: string): Promise<void> {
  const { stores, store, runs, commits, probe } = context;
  probe('enrich:before');
  const claimed = await commits.commit(() => {
    const startedAt = { enrichment_started_at: store.clock.now() };
    const made = claim(context, runId, { event: { type: 'enrich' }, times: startedAt });
    // The run is past this stage or has ended, so the row is done.
    if (!made) stores.outbox.done(runId, 'enqueue_enrich');
    return made;
  });
  if (!claimed) return;
  probe('enrich:claimed');
  const { run, lease } = claimed;
  const input = stores.triggerEvents.get(run.inputId) as Input;
  const stored = stores.triggerEvents.rawPayload(input.id);
  const sanitized = sanitizedPayload(input, stored, store.deviceId);
  // A schedule slot, or an input a producer only named, has no payload to store.
  const isEmpty = stored === null && input.topic === null;
  const artifacts = isEmpty
    ? null
    : await writeArtifacts(context, input, sanitized as unknown as Json);
  probe('enrich:artifacts');
  probe('execute_input:before');
  await commits.commit(() => {
    const times = { enrichment_completed_at: store.clock.now() };
    orLost(runs.move(runId, { actor: 'stage', event: { type: 'enriched' }, lease, times }));
    if (artifacts) stores.automationRuns.setArtifacts(runId, artifacts);
    stores.outbox.done(runId, 'enqueue_enrich');
    startExecution(context, lease, input, sanitized.value);
  });
  probe('enrich:after');
  probe('execute_input:after');
  context.wake(input.workflowId);
}

async function writeArtifacts(
  { artifacts, store }: StageContext,
  input: Input,
  sanitized: Json,
): Promise<Artifacts> {
  const [enrichment, sources, policy] = await Promise.all([
    artifacts.put(sanitized),
    artifacts.put(sourcesOf(input) as unknown as Json),
    putPolicy(artifacts, policyOf(input), store.clock.now()),
  ]);
  return { enrichment: enrichment.ref, sources: sources.ref, policy };
}

/**
 * Cache of policies already on disk: all inputs of a hook have the same one. Entries expire in half
 * the sweep's grace period, so a sweep cannot remove a policy that the cache still returns.
 */
const cachedPolicies = new WeakMap<ArtifactStore, Map<string, { ref: string; until: number }>>();
const MAX_CACHED_POLICIES = 100;

async function putPolicy(artifacts: ArtifactStore, policy: Json, now: number): Promise<string> {
  const cached = cachedPolicies.get(artifacts) ?? new Map<string, { ref: string; until: number }>();
  cachedPolicies.set(artifacts, cached);
  const text = canonicalJson(policy);
  const known = cached.get(text);
  if (known !== undefined && now < known.until) return known.ref;
  const { ref } = await artifacts.put(policy);
  if (cached.size >= MAX_CACHED_POLICIES) cached.clear();
  cached.set(text, { ref, until: now + ARTIFACT_GRACE_MS / 2 });
  return ref;
}
