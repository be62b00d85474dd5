// Enrich: queued → enriching → ready. Redacts and normalises into artifacts on disk. Without any
// effect outside, so that whoever takes the run over may do it again: it comes to the same.
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { Artifacts } from '#main/store/automation-runs.ts';
import type { Input } from '#main/store/trigger-events.ts';
import { policyOf, sanitizeKept, sourcesOf } from '#main/inputs/stages/sanitize.ts';
import { claim, orLost, type StageContext } from '#main/inputs/stages/stage.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { ARTIFACT_GRACE_MS } from '#shared/limits.ts';

export async function enrich(context: StageContext, runId: string): Promise<void> {
  const { stores, store, runs, commits, probe } = context;
  probe('enrich:before');
  const claimed = await commits.commit(() => {
    const startedAt = { enrichment_started_at: store.clock.now() };
    const made = claim(context, runId, { event: { type: 'enrich' }, times: startedAt });
    // It is past this stage, or has ended: the row has nothing more to say.
    if (!made) stores.outbox.done(runId, 'enqueue_enrich');
    return made;
  });
  if (!claimed) return;
  probe('enrich:claimed');
  const { run, lease } = claimed;
  const artifacts = await writeArtifacts(context, stores.triggerEvents.get(run.inputId) as Input);
  probe('enrich:artifacts');
  await commits.commit(() => {
    const times = { enrichment_completed_at: store.clock.now() };
    orLost(runs.move(runId, { actor: 'stage', event: { type: 'enriched' }, lease, times }));
    if (artifacts) stores.automationRuns.setArtifacts(runId, artifacts);
    stores.outbox.done(runId, 'enqueue_enrich');
    stores.outbox.add(runId, 'enqueue_execute', run.queuedAt);
    stores.automationLeases.release(lease);
  });
  probe('enrich:after');
}

async function writeArtifacts(
  { artifacts, stores, store }: StageContext,
  input: Input,
): Promise<Artifacts | null> {
  const raw = stores.triggerEvents.rawPayload(input.id);
  // A slot, or what a producer only named: there is nothing to sanitize, and its row says it all.
  if (raw === null && input.topic === null) return null;
  const sanitized = sanitizeKept(input, raw);
  const [enrichment, sources, policy] = await Promise.all([
    artifacts.put(sanitized as unknown as Json),
    artifacts.put(sourcesOf(input) as unknown as Json),
    putPolicy(artifacts, policyOf(input), store.clock.now()),
  ]);
  return { enrichment: enrichment.ref, sources: sources.ref, policy };
}

/**
 * Policies that lie on disk already: all inputs of a hook have the same. Put anew before a sweep could
 * take one for old, whose last row has left.
 */
const keptPolicies = new WeakMap<ArtifactStore, Map<string, { ref: string; until: number }>>();
const MAX_KEPT_POLICIES = 100;

async function putPolicy(artifacts: ArtifactStore, policy: Json, now: number): Promise<string> {
  const kept = keptPolicies.get(artifacts) ?? new Map<string, { ref: string; until: number }>();
  keptPolicies.set(artifacts, kept);
  const text = canonicalJson(policy);
  const known = kept.get(text);
  if (known !== undefined && now < known.until) return known.ref;
  const { ref } = await artifacts.put(policy);
  if (kept.size >= MAX_KEPT_POLICIES) kept.clear();
  kept.set(text, { ref, until: now + ARTIFACT_GRACE_MS / 2 });
  return ref;
}
