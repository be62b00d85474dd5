// Execute: ready → running. The first event is published in the transaction that starts the run, so
// a run never exists without its event and never gets it twice. Enrichment calls `startExecution`
// directly; the stage itself is for runs that were left `ready` by another device or an older version.
import { sanitizedPayload } from '#main/input-lifecycle/sanitize.ts';
import { claimLease, orLost, type StageContext } from '#main/inputs/stages/stage.ts';
import type { Lease } from '#main/store/tables/automation-leases.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import { firstMessageId } from '#shared/inputs/first-event.ts';
import type { Json } from '#shared/json.ts';

export async function execute(context: StageContext, runId: string): Promise<void> {
  const { stores, store, commits, probe } = context;
  probe('execute_input:before');
  const workflowId = await commits.commit(() => {
    stores.outbox.done(runId, 'enqueue_execute');
    const run = stores.automationRuns.get(runId);
    const input = run && stores.triggerEvents.get(run.inputId);
    if (!input || run.state.status !== 'ready') return null;
    if (stores.ownership.epoch(run.workflowId) === null) return null;
    const stored = stores.triggerEvents.rawPayload(input.id);
    const { value } = sanitizedPayload(input, stored, store.deviceId);
    startExecution(context, claimLease(context, run), input, value);
    return input.workflowId;
  });
  probe('execute_input:after');
  if (workflowId !== null) context.wake(workflowId);
}

/** Must run inside a write. Releases the lease. */
export function startExecution(
  { stores, store, runs }: StageContext,
  lease: Lease,
  input: Input,
  payload: Json,
): void {
  const { runId } = lease;
  const now = store.clock.now();
  const times = { execution_started_at: now, prompt_sent_at: now };
  orLost(runs.move(runId, { actor: 'stage', event: { type: 'execute' }, lease, times }));
  stores.automationLeases.release(lease);
  // Inputs without a topic: the producer that registered them publishes their events.
  const published =
    input.topic === null
      ? null
      : stores.events.publish({
          topic: stores.topics.ensure(input.workflowId, input.topic),
          messageId: firstMessageId(runId),
          title: input.title,
          payload,
          causedBy: input.id,
        });
  if (published?.type === 'payload_too_large') {
    const event = { type: 'fail', stage: 'execute', reason: published.message } as const;
    runs.move(runId, { actor: 'stage', event });
  } else runs.deriveStatus(input.id);
}
