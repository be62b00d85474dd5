import { expect, test } from 'vitest';
import { createAskTool, takeAnswer } from '#main/tools/ask.ts';
import { callMutation, reconcileMutation } from '#main/tools/call-tool.ts';
import { createNotifyTool, type Notice } from '#main/tools/notify.ts';
import { testHost } from '#test/tools/call-host.ts';

const SHOW = { namespace: 'notify', method: 'show', grant: {}, effectId: 'e1' };
const ASK = { namespace: 'ask', method: 'question', grant: {}, effectId: 'e1' };

test('[TL-5] notify.show passes one notice with the effect id and without control characters', async () => {
  const notices: Notice[] = [];
  const notify = createNotifyTool(async (notice) => void notices.push(notice));
  const params = { title: 'Paid\u001b[31m', body: 'Line one\nline two\u0007' };
  const outcome = await callMutation({ notify }, { ...SHOW, params }, testHost());
  expect(outcome).toEqual({ type: 'applied', result: { shown: true } });
  expect(notices).toEqual([{ id: 'e1', title: 'Paid [31m', body: 'Line one line two' }]);
});

test('[TL-3] notify.show fails when the notifier rejects', async () => {
  const notify = createNotifyTool(async () => Promise.reject(new Error('no desktop here')));
  const outcome = await callMutation({ notify }, { ...SHOW, params: { title: 'x' } }, testHost());
  expect(outcome).toMatchObject({
    type: 'failed',
    error: expect.stringContaining('no desktop here'),
  });
});

test('[TL-3] ask.question waits for an answer, and reconcile cannot supply one', async () => {
  const ask = createAskTool();
  const params = { question: 'Pay it?', choices: ['yes', 'no'] };
  const call = { ...ASK, params };
  expect(await callMutation({ ask }, call, testHost())).toEqual({
    type: 'waiting',
    kind: 'answer',
  });
  expect((await reconcileMutation({ ask }, { ...call, sentAt: 0 }, testHost())).type).toBe(
    'unknown',
  );
  expect(takeAnswer(params, 'yes')).toEqual({ ok: true, result: { answer: 'yes' } });
  expect(takeAnswer(params, 'maybe')).toEqual({
    ok: false,
    message: expect.stringContaining('yes, no'),
  });
  expect(takeAnswer({ question: 'Why?' }, 'Because.')).toMatchObject({ ok: true });
  expect(takeAnswer({ question: 'Why?' }, '  ')).toMatchObject({ ok: false });
});

test('[TL-2] ask.question refuses repeated choices', async () => {
  const params = { question: 'Pay it?', choices: ['yes', 'yes'] };
  const outcome = await callMutation({ ask: createAskTool() }, { ...ASK, params }, testHost());
  expect(outcome).toMatchObject({
    type: 'failed',
    errorType: 'logic',
    error: expect.stringContaining('choices'),
  });
});
