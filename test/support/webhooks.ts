// Hooks of a real host, and requests to them.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Host } from '#main/host/host.ts';
import type { CallInput } from '#shared/api/contract.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import { succeed } from '#test/support/api-calls.ts';
import { eventually } from '#test/support/eventually.ts';
import type { ServedInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export const ECHO = `
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

export async function addWorkflow(host: Host, source: string, name = 'echo'): Promise<string> {
  const path = join(tempFolder(), `${name}.ts`);
  writeFileSync(path, source);
  return (await succeed(host.dispatch, 'workflows.add', { path })).workflowId;
}

/** Waits until the automation run of the input has ended. */
export async function ended(host: Host, inputId: string): Promise<InputDetail> {
  return eventually(async () => {
    const input = await succeed(host.dispatch, 'inputs.get', { inputId });
    expect(['succeeded', 'failed', 'skipped', 'canceled', 'timed_out']).toContain(input.run.status);
    return input;
  });
}

type NewHook = Partial<CallInput<'hooks.create'>>;

export async function makeHook(
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

export function post(url: string, secret: string, body: unknown, headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
