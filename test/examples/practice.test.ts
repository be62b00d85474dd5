// The sample of a new install: it ends, on purpose, in one effect whose outcome is unknown.
import { expect, test } from 'vitest';
import type { WorkflowTest } from 'holdfast/testing';
import { practiceService, runsOf, startExample } from '#test/examples/start-example.ts';

async function untilUnknown(): Promise<{
  example: WorkflowTest;
  practice: Awaited<ReturnType<typeof practiceService>>;
}> {
  const practice = await practiceService();
  const example = await startExample('practice.ts', {
    places: { '127.0.0.1:8808': practice.host },
  });
  expect(await example.inbox()).toMatchObject([{ type: 'unknown_effect' }]);
  return { example, practice };
}

test('[EN-13] the sample stops at an effect that nobody can know of, and shows where to look', async () => {
  const { example, practice } = await untilUnknown();
  const [item] = await example.inbox('unknown_effect');
  expect(item?.mutation).toMatchObject({ status: 'indeterminate', canCheck: false });
  expect(item?.mutation.lookByHand).toContain(practice.host);
  expect(practice.effects()).toHaveLength(1);
  expect(await runsOf(example)).toEqual([
    'want committed no effect',
    expect.stringMatching(/^place suspended indeterminate /),
  ]);
  await example.run('want');
  await example.crash();
  await example.pass('2d');
  expect(practice.effects()).toHaveLength(1);
});

test('[EN-14] "it happened" lets the sample go on, and nothing is sent again', async () => {
  const { example, practice } = await untilUnknown();
  await example.resolve('happened');
  expect(practice.effects()).toHaveLength(1);
  await example.assertDone();
  expect(await runsOf(example)).toEqual([
    'want committed no effect',
    'place committed applied',
    'note committed no effect',
  ]);
});

test('[EN-14] "skip" lets the sample go on without saying that it happened', async () => {
  const { example, practice } = await untilUnknown();
  await example.resolve('skip');
  expect(practice.effects()).toHaveLength(1);
  expect(await runsOf(example)).toEqual([
    'want committed no effect',
    'place committed indeterminate',
  ]);
});

test('[EN-15] sent again on request, the sample shows why one is asked first', async () => {
  const { example, practice } = await untilUnknown();
  await example.resolve('send-again');
  const [first, second] = practice.effects();
  expect(practice.effects()).toHaveLength(2);
  expect(second?.key).toBe(first?.key);
});
