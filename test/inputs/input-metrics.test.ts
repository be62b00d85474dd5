// What a real host measures while it takes in a webhook.
import { expect, it } from 'vitest';
import { parsePrometheus } from '#test/support/parse-prometheus.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { addWorkflow, ECHO, ended, makeHook, post } from '#test/support/webhooks.ts';

it('[MX-3] a webhook is measured: its answer, the stages of its input, and the outbox', async () => {
  const served = await serveInProcess();
  const { host, token } = served;
  const read = async (): Promise<ReadonlyMap<string, number>> => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${served.url}/metrics`, { headers });
    return parsePrometheus(await response.text()).samples;
  };
  const { url, secret } = await makeHook(served, await addWorkflow(host, ECHO));
  expect((await post(url, 'wrong', { n: 1 })).status).toBe(401);
  const { id } = (await (await post(url, secret, { n: 1 })).json()) as { id: string };
  await ended(host, id);
  const samples = await read();
  expect(samples.get('holdfast_webhook_answers_total{code="202"}')).toBe(1);
  expect(samples.get('holdfast_webhook_answers_total{code="401"}')).toBe(1);
  expect(samples.get('holdfast_stage_duration_seconds_count{stage="enrich"}')).toBe(1);
  expect(samples.get('holdfast_queue_depth{queue="outbox"}')).toBeTypeOf('number');
  expect(samples.get('holdfast_queue_oldest_age_seconds{queue="outbox"}')).toBeTypeOf('number');
});

it('[MX-3] an input that waits in the outbox is counted with its age', async () => {
  const { host, url: base, token } = await serveInProcess();
  const { outbox } = host.stores;
  await host.inputs.pipeline.stop();
  host.folder.db.write(() => {
    outbox.add('run-1', 'enqueue_enrich');
    host.folder.db.run('UPDATE outbox SET created_at = created_at - 5000');
  });
  const headers = { Authorization: `Bearer ${token}` };
  const text = await (await fetch(`${base}/metrics`, { headers })).text();
  const { samples } = parsePrometheus(text);
  expect(samples.get('holdfast_queue_depth{queue="outbox"}')).toBe(1);
  expect(samples.get('holdfast_queue_oldest_age_seconds{queue="outbox"}')).toBeGreaterThanOrEqual(
    5,
  );
});
