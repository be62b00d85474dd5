// Execute: ready → running. The first event is published in the very write that says so: there is
// no instant at which it runs without its event, or has its event twice.
import { sanitize, type Sanitized } from '#main/inputs/stages/sanitize.ts';
import { claim, type StageContext } from '#main/inputs/stages/stage.ts';
import type { AutomationRun } from '#main/store/automation-runs.ts';
import type { Input } from '#main/store/trigger-events.ts';
import { promptId } from '#shared/inputs/prompt.ts';
import type { Json } from '#shared/json.ts';

export async function execute(context: StageContext, runId: string): Promise<void> {
  const { stores, commits, probe, runs, store } = context;
  const run = stores.automationRuns.get(runId);
  const input = run && stores.triggerEvents.get(run.inputId);
  const payload = run && input && (await sanitizedPayload(context, run, input));
  probe('execute_input:before');
  const workflowId = await commits.commit(() => {
    const now = store.clock.now();
    const times = { execution_started_at: now, prompt_sent_at: now };
    const claimed = input && claim(context, runId, { event: { type: 'execute' }, times });
    stores.outbox.done(runId, 'enqueue_execute');
    if (!claimed) return null;
    const refused = publishPrompt(context, claimed.run, input, payload ?? null);
    stores.automationLeases.release(claimed.lease);
    if (refused !== null) {
      const event = { type: 'fail', stage: 'execute', reason: refused } as const;
      runs.move(runId, { actor: 'stage', event });
    } else runs.follow(input.id);
    return input.workflowId;
  });
  probe('execute_input:after');
  if (workflowId !== null) context.wake(workflowId);
}

/** Null, or why it cannot be published. */
function publishPrompt(
  { stores }: StageContext,
  run: AutomationRun,
  input: Input,
  payload: Json,
): string | null {
  // Whoever registered it has published, or will, by itself.
  if (input.topic === null) return null;
  const published = stores.events.publish({
    topic: stores.topics.ensure(input.workflowId, input.topic),
    messageId: promptId(run.id),
    title: input.title,
    payload,
    causedBy: input.id,
  });
  return published.type === 'payload_too_large' ? published.message : null;
}

/** As enrichment kept it; where its file is another device's, or damaged, made anew: it is the same. */
export async function sanitizedPayload(
  context: StageContext,
  run: AutomationRun,
  input: Input,
): Promise<Json> {
  if (input.topic === null) return null;
  const kept = run.artifacts && (await readJson(context, run.artifacts.enrichment));
  if (kept) return (kept as unknown as Sanitized).value;
  return sanitize(input, context.stores.triggerEvents.rawPayload(input.id)).value;
}

async function readJson({ artifacts, log }: StageContext, ref: string): Promise<Json | null> {
  try {
    const content = await artifacts.get(ref);
    return content ? (JSON.parse(new TextDecoder().decode(content)) as Json) : null;
  } catch (error) {
    log.warn({ err: error, ref }, 'an artifact could not be read');
    return null;
  }
}
