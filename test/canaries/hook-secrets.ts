// Hook secrets, made and rotated by Holdfast, and a secret set through the API. Each call is repeated with
// its Idempotency-Key, so that the stored answers are covered as well.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Host } from '#main/host/host.ts';
import type { Canary } from '#test/canaries/search.ts';
import { succeed } from '#test/support/api-calls.ts';
import { addWorkflow, ECHO, ended, post } from '#test/support/webhooks.ts';

interface Served {
  readonly host: Host;
  readonly url: string;
  readonly token: string;
}

export async function useHooks(served: Served): Promise<Canary[]> {
  const { host, url } = served;
  const workflowId = await addWorkflow(host, ECHO);
  const create = {
    requestId: randomUUID(),
    workflowId,
    name: 'canary',
    auth: { kind: 'bearer' },
  };
  const made = await keyed<{ hook: { id: string; path: string }; secret: string }>(
    served,
    'hooks.create',
    create,
  );
  const { id, path } = made.hook;
  const rotated = await keyed<{ secret: string }>(served, 'hooks.rotate', {
    hookId: id,
    overlapMs: 3_600_000,
  });
  expect(new Set([made.secret, rotated.secret]).size).toBe(2);

  for (const secret of [made.secret, rotated.secret]) {
    const answer = await post(
      url + path,
      secret,
      { note: `visible-marker ${secret.length}` },
      {
        'X-Delivery': randomUUID(),
      },
    );
    expect(answer.status).toBe(202);
  }
  // In a field that is redacted. Only the sealed raw payload has it.
  const raw = `raw-${randomBytes(15).toString('base64url')}`;
  const delivered = await post(url + path, rotated.secret, { note: 'visible-marker', token: raw });
  const { id: withSecret } = (await delivered.json()) as { id: string };
  const { text } = await succeed(host.dispatch, 'inputs.raw', { inputId: withSecret });
  expect(text).toContain(raw);
  const shown = await keyed<{ text: string }>(served, 'inputs.raw', { inputId: withSecret }, false);
  expect(shown.text).toBe(text);

  const wrong = `wrong-${randomBytes(15).toString('base64url')}`;
  expect((await post(url + path, wrong, { note: 'visible-marker' })).status).toBe(401);

  // For a keyed call the host stores a hash of the input and encrypts the answer.
  const sent = `sent-${randomBytes(15).toString('base64url')}`;
  await keyed(served, 'secrets.set', { name: 'by-key', value: sent });

  const { inputs } = await succeed(host.dispatch, 'inputs.list', { workflowId });
  expect(inputs.length).toBeGreaterThan(0);
  for (const input of inputs) await ended(host, input.id);
  return [
    { name: 'hook secret', value: made.secret },
    { name: 'rotated hook secret', value: rotated.secret },
    { name: 'wrong hook secret', value: wrong },
    { name: 'raw payload', value: raw },
    { name: 'secret set with an Idempotency-Key', value: sent },
  ];
}

/**
 * Makes the call twice with one Idempotency-Key. The second answer is the stored first one, or, where
 * answers are not stored, an equal one.
 */
async function keyed<Output>(
  { url, token }: Served,
  call: string,
  input: object,
  isStored = true,
): Promise<Output> {
  const key = randomUUID();
  const ask = async (): Promise<{ output: Output; isReplay: boolean }> => {
    const response = await fetch(`${url}/api/call/${call}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(input),
    });
    expect(response.status, call).toBe(200);
    return {
      output: ((await response.json()) as { output: Output }).output,
      isReplay: response.headers.has('idempotency-replayed'),
    };
  };
  const first = await ask();
  const second = await ask();
  expect(second).toEqual({ output: first.output, isReplay: isStored });
  return first.output;
}
