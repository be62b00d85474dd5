import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMessageBatcher } from '#main/sandbox/message-batcher.ts';

it('messages of one turn are sent together, in order, at most eight at a time', async () => {
  const sent: number[][] = [];
  const put = createMessageBatcher<number>((messages) => sent.push([...messages]));
  for (let message = 1; message <= 10; message += 1) put(message);
  await turn();
  put(11);
  await turn();
  expect(sent).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [9, 10], [11]]);
});
