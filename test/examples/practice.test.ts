// The sample of a new install: it ends, on purpose, in one effect whose outcome is unknown.
import { expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { practiceService, startExample, type RunningExample } from '#test/examples/run-example.ts';
import type { InboxItem } from '#shared/api/inbox.ts';

async function untilUnknown(): Promise<{
  example: RunningExample;
  practice: Awaited<ReturnType<typeof practiceService>>;
  item: InboxItem & { type: 'unknown_effect' };
}> {
  const practice = await practiceService();
  const example = await startExample('practice.ts', { '127.0.0.1:8808': practice.host });
  const [item, ...more] = await example.inbox();
  expect(more).toEqual([]);
  if (item?.type !== 'unknown_effect') throw new Error(`not unknown: ${JSON.stringify(item)}`);
  return { example, practice, item };
}

async function resolve(
  { call, settled }: RunningExample,
  mutationId: string,
  resolution: 'user_assert_applied' | 'user_skip' | 'user_retry',
  confirmed = false,
): Promise<void> {
  const requestId = randomUUID();
  await call('inbox.resolve', { requestId, mutationId, resolution, confirmed });
  await settled();
}

test('[EN-13] the sample stops at an effect that nobody can know of, and shows where to look', async () => {
  const { example, practice, item } = await untilUnknown();
  expect(item.mutation).toMatchObject({ status: 'indeterminate', canCheck: false });
  expect(item.mutation.lookByHand).toContain(practice.host);
  expect(practice.effects()).toHaveLength(1);
  expect(await example.runs()).toEqual([
    'want committed no effect',
    expect.stringMatching(/^place suspended indeterminate /),
  ]);
  await example.run('want');
  expect(practice.effects()).toHaveLength(1);
});

test('[EN-14] "it happened" lets the sample go on, and nothing is sent again', async () => {
  const { example, practice, item } = await untilUnknown();
  await resolve(example, item.mutation.id, 'user_assert_applied');
  expect(practice.effects()).toHaveLength(1);
  expect(await example.inbox()).toEqual([]);
  expect(await example.runs()).toEqual([
    'want committed no effect',
    'place committed applied',
    'note committed no effect',
  ]);
});

test('[EN-14] "skip" lets the sample go on without saying that it happened', async () => {
  const { example, practice, item } = await untilUnknown();
  await resolve(example, item.mutation.id, 'user_skip');
  expect(practice.effects()).toHaveLength(1);
  expect(await example.runs()).toEqual([
    'want committed no effect',
    'place committed indeterminate',
  ]);
});

test('[EN-15] sent again on request, the sample shows why one is asked first', async () => {
  const { example, practice, item } = await untilUnknown();
  await resolve(example, item.mutation.id, 'user_retry', true);
  const [first, second] = practice.effects();
  expect(practice.effects()).toHaveLength(2);
  expect(second?.key).toBe(first?.key);
});
