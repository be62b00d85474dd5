// Enrich: queued → enriching → ready → running. Writes the sanitized payload, its sources and the
// policy as artifacts, then publishes the first event in the same transaction that ends the stage.
// It has no effect outside, so another worker can repeat it after a crash with the same result.
import type { Artifacts } from '#main/store/tables/automation-runs.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import { startExecution } from '#main/inputs/stages/execute.ts';
import { sanitizedPayload, sourcesOf } from '#main/input-lifecycle/sanitize.ts';
import { claim, orLost, type StageContext } from '#main/inputs/stages/stage.ts';
import type { Json } from '#shared/json.ts';

export async function enrich(context: StageContext, runId: string): Promise<void> {
  const { stores, store, runs, commits, policies, probe } = context;
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
  const [artifacts, policy] = await Promise.all([
    isEmpty ? {} : writeArtifacts(context, input, sanitized as unknown as Json),
    policies.freeze(input),
  ]);
  probe('enrich:artifacts');
  probe('execute_input:before');
  await commits.commit(() => {
    const times = { enrichment_completed_at: store.clock.now() };
    orLost(runs.move(runId, { actor: 'stage', event: { type: 'enriched' }, lease, times }));
    policies.save(input.id, policy, artifacts);
    stores.outbox.done(runId, 'enqueue_enrich');
    startExecution(context, lease, input, sanitized.value);
  });
  probe('enrich:after');
  probe('execute_input:after');
  context.wake(input.workflowId);
}

/** Without the policy, which `InputPolicies` saves. */
async function writeArtifacts(
  { artifacts, store }: StageContext,
  input: Input,
  sanitized: Json,
): Promise<Artifacts> {
  const [enrichment, sources] = await Promise.all([
    artifacts.put(sanitized),
    artifacts.put(sourcesOf(input) as unknown as Json),
  ]);
  return {
    enrichment: enrichment.ref,
    sources: sources.ref,
    made_by: store.deviceId,
    bytes: { enrichment: enrichment.bytes, sources: sources.bytes },
  };
}
