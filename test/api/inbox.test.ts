// The inbox through the API, on a real host with the practice service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { startPractice } from '#main/practice/practice.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const source = (host: string, mutate: string, uses = `http: { hosts: ['${host}'] }`): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Practice',
  uses: { ${uses} },
  topics: ['in'],
  consumers: { act: {
    subscribes: 'in', publishes: [],
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return { reservations: event ? [event] : [], ui: { title: 'Act on ' + event?.title } };
    },
    async mutate(ctx) { ${mutate} },
  } },
});`;

async function withHost(mutate: (url: string) => string, uses?: string) {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  const host = createTestHost();
  const call = caller(host);
  const path = join(tempFolder(), 'practice.ts');
  writeFileSync(path, source(new URL(practice.url).host, mutate(practice.url), uses));
  const { workflowId } = await call('workflows.add', { path });
  await call('events.publish', {
    workflowId,
    topic: 'in',
    messageId: 'm1',
    title: 'Invoice 7',
    payload: {},
  });
  const inbox = async (): Promise<InboxItem[]> => (await call('inbox.list', {})).items;
  await vi.waitFor(async () => expect((await inbox()).length).toBe(1), { timeout: 10_000 });
  const [item] = await inbox();
  return { host, call, practice, workflowId, inbox, item: item as InboxItem };
}

function caller(host: Host) {
  return async <Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
  ): Promise<CallOutput<Name>> => {
    const result = await host.dispatch(name, input);
    if (!result.ok) throw Object.assign(new Error(result.error.message), result.error);
    return result.output as CallOutput<Name>;
  };
}

const LOSE_ANSWER = (url: string): string =>
  `await ctx.tools.http.post({ url: '${url}/effects/invoice', json: { n: 7 },
     headers: { 'X-Practice-Fault': 'drop_answer' } });`;

describe('the inbox', () => {
  it('[EN-13] shows an unknown outcome with its call and how to check it', async () => {
    const { item, practice } = await withHost(LOSE_ANSWER);
    expect(practice.effects().length).toBe(1);
    expect(item).toMatchObject({
      type: 'unknown_effect',
      workflowName: 'Practice',
      title: 'Act on Invoice 7',
      mutation: {
        status: 'indeterminate',
        tool: 'http',
        method: 'post',
        params: { json: { n: 7 } },
        canCheck: false,
        lookByHand: expect.stringContaining('/effects/invoice') as string,
        resolutions: [],
      },
    });
  });

  it('[TL-13] shows what was sent and where to look also after the grant was revoked', async () => {
    const { call, workflowId, inbox, practice } = await withHost(LOSE_ANSWER);
    await call('grants.revoke', { workflowId, tool: 'http' });
    const [item] = await inbox();
    expect(item).toMatchObject({
      mutation: {
        title: `POST ${practice.url}/effects/invoice`,
        lookByHand: expect.stringContaining('/effects/invoice') as string,
        canCheck: false,
      },
    });
  });

  it('[EN-15] sending again without a check needs a confirmation, then sends the same key again', async () => {
    const { item, call, practice, inbox } = await withHost(LOSE_ANSWER);
    if (item.type !== 'unknown_effect') throw new Error(item.type);
    const retry = {
      requestId: 'r1',
      mutationId: item.mutation.id,
      resolution: 'user_retry',
    } as const;
    await expect(call('inbox.resolve', retry)).rejects.toMatchObject({
      type: 'conflict',
      message: expect.stringContaining('may make it happen twice') as string,
    });
    expect(practice.effects().length).toBe(1);
    expect((await inbox()).length).toBe(1);
    expect(await call('inbox.resolve', { ...retry, confirmed: true })).toMatchObject({
      status: 'done',
    });
    // The practice service drops this reply too, so the effect happened twice.
    await vi.waitFor(() => expect(practice.effects().length).toBe(2), { timeout: 10_000 });
    expect(new Set(practice.effects().map(({ key }) => key)).size).toBe(1);
  });

  it('[EN-14] after settling, the item is gone and the decision is in the run', async () => {
    const { item, call, inbox, practice } = await withHost(LOSE_ANSWER);
    if (item.type !== 'unknown_effect') throw new Error(item.type);
    await call('inbox.resolve', {
      requestId: 'r1',
      mutationId: item.mutation.id,
      resolution: 'user_assert_applied',
      result: { seen: true },
      note: 'I looked',
    });
    await vi.waitFor(
      async () => {
        const run = await call('handlerRuns.get', { handlerRunId: item.handlerRunId });
        expect(run).toMatchObject({
          phase: 'committed',
          effect: 'applied',
          mutation: { result: { seen: true }, resolutions: [{ note: 'I looked' }] },
        });
      },
      { timeout: 10_000 },
    );
    expect(await inbox()).toEqual([]);
    expect(practice.effects().length).toBe(1);
  });

  it('[EN-17] lists a question; only one of its choices is accepted, and only once', async () => {
    const { item, call, inbox } = await withHost(
      () => `await ctx.tools.ask.question({ question: 'Send it?', choices: ['yes', 'no'] });`,
      'ask: {}',
    );
    expect(item).toMatchObject({ type: 'question', question: 'Send it?', choices: ['yes', 'no'] });
    if (item.type !== 'question') throw new Error(item.type);
    const answer = { mutationId: item.mutationId, answer: 'perhaps' };
    await expect(call('inbox.answer', answer)).rejects.toMatchObject({ type: 'invalid_input' });
    await call('inbox.answer', { ...answer, answer: 'yes' });
    await vi.waitFor(async () => expect(await inbox()).toEqual([]), { timeout: 10_000 });
    await expect(call('inbox.answer', { ...answer, answer: 'no' })).rejects.toMatchObject({
      type: 'conflict',
    });
  });

  it('[AP-2] an unknown effect id gives not_found, a second decision superseded', async () => {
    const { item, call } = await withHost(LOSE_ANSWER);
    if (item.type !== 'unknown_effect') throw new Error(item.type);
    const decision = { requestId: 'r1', mutationId: 'nope', resolution: 'user_skip' } as const;
    await expect(call('inbox.resolve', decision)).rejects.toMatchObject({ type: 'not_found' });
    const mutationId = item.mutation.id;
    await call('inbox.resolve', { ...decision, mutationId });
    expect(await call('inbox.resolve', { ...decision, mutationId, requestId: 'r2' })).toMatchObject(
      {
        status: 'superseded',
      },
    );
  });
});
