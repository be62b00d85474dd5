// The practice workflow of a new installation, which ends with one unknown outcome on purpose.
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

test('[EN-13] the practice run stops at an unknown outcome, says where to check, and sends nothing for two days', async () => {
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

test('[EN-14] settled as happened, the practice run continues and nothing is sent again', async () => {
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

test('[EN-14] skipped, the practice run commits and its effect stays indeterminate', async () => {
  const { example, practice } = await untilUnknown();
  await example.resolve('skip');
  expect(practice.effects()).toHaveLength(1);
  expect(await runsOf(example)).toEqual([
    'want committed no effect',
    'place committed indeterminate',
  ]);
});

test('[EN-15] sent again, the practice run makes a second effect with the same key', async () => {
  const { example, practice } = await untilUnknown();
  await example.resolve('send-again');
  const [first, second] = practice.effects();
  expect(practice.effects()).toHaveLength(2);
  expect(second?.key).toBe(first?.key);
});
