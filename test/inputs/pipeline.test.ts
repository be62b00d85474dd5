// From a webhook, a hand or a producer to the end of the run, on a real host.
import { createHmac, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '#main/host/host.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import type { CallInput } from '#shared/api/contract.ts';
import { succeed } from '#test/support/calls.ts';
import { eventually } from '#test/support/eventually.ts';
import { serveInProcess, type ServedInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const ECHO = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Echo',
  topics: ['in', 'out'],
  consumers: {
    first: {
      subscribes: 'in',
      publishes: ['out'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : {};
      },
      async next(ctx, { data, reservations }) {
        await ctx.publish('out', { id: reservations[0].messageId, title: 'Out', payload: data });
      },
    },
    second: {
      subscribes: 'out',
      async prepare(ctx) {
        const [event] = await ctx.peek('out', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : {};
      },
      async next(ctx, { data }) {
        if (data.say) await ctx.complete({ said: data.say });
      },
    },
  },
});
`;

async function addWorkflow(host: Host, source: string, name = 'echo'): Promise<string> {
  const path = join(tempFolder(), `${name}.ts`);
  writeFileSync(path, source);
  return (await succeed(host.dispatch, 'workflows.add', { path })).workflowId;
}

async function ended(host: Host, inputId: string): Promise<InputDetail> {
  return eventually(async () => {
    const input = await succeed(host.dispatch, 'inputs.get', { inputId });
    expect(['succeeded', 'failed', 'skipped', 'canceled', 'timed_out']).toContain(input.run.status);
    return input;
  });
}

type NewHook = Partial<CallInput<'hooks.create'>>;

async function makeHook(
  served: ServedInProcess,
  workflowId: string,
  more: NewHook = {},
): Promise<{ url: string; secret: string; id: string }> {
  const { hook, secret } = await succeed(served.host.dispatch, 'hooks.create', {
    requestId: randomUUID(),
    workflowId,
    name: 'orders',
    auth: { kind: 'bearer' },
    ...more,
  });
  return { url: served.url + hook.path, secret, id: hook.id };
}

function post(url: string, secret: string, body: unknown, headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('an input', () => {
  it('[IG-1] by webhook: 202, then the whole chain, then succeeded', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId);
    const response = await post(url, secret, { id: 7, type: 'order', password: 'hunter2' });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    const input = await ended(served.host, id);
    expect(input.run.status).toBe('succeeded');
    expect(input.history.map(({ to }) => to)).toEqual([
      'queued',
      'enriching',
      'ready',
      'running',
      'succeeded',
    ]);
    expect(input.payload).toMatchObject({ id: 7, type: 'order' });
    expect(JSON.stringify(input)).not.toContain('hunter2');
    expect(input.redacted).toEqual([{ path: '$.password', why: 'secret-name' }]);
    expect(input.steps.map(({ type }) => type)).toEqual([
      'event',
      'handler_run',
      'event',
      'handler_run',
    ]);
    expect(input.run.sessionId).not.toBeNull();
    await eventually(async () => {
      const { artifacts } = await succeed(served.host.dispatch, 'inputs.get', { inputId: id });
      expect(artifacts.completion).toMatch(/^[0-9a-f]{64}$/);
    });
  });
});
