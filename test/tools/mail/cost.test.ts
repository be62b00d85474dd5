// What a mail cost: the price of the account, for each mail that was sent or may have been.
import { expect, test } from 'vitest';
import { callMutation } from '#main/tools/call-tool.ts';
import type { Spent } from '#main/tools/call-cost.ts';
import { createMailTool } from '#main/tools/mail/mail.ts';
import type { MutationOutcome } from '#main/tools/tool.ts';
import { testHost } from '#test/tools/call-host.ts';
import { LETTER } from '#test/tools/mail/mail-call.ts';
import {
  cutBefore,
  replyError,
  SMTP_PASSWORD,
  startCuttingProxy,
  startSmtpServer,
} from '#test/tools/mail/smtp-server.ts';

function send(
  port: number,
  cost: object | undefined,
  letter: object = LETTER,
): Promise<MutationOutcome & Spent> {
  const account = {
    smtp: { host: '127.0.0.1', port, user: 'ada' },
    imap: { host: '127.0.0.1', port: 1, user: 'ada' },
    from: 'ada@example.org',
    passwordSecret: 'mail',
    ...(cost && { cost }),
  };
  const call = { namespace: 'mail', method: 'send', params: letter, grant: { account } };
  const host = testHost({ mail: SMTP_PASSWORD });
  return callMutation({ mail: createMailTool() }, { ...call, effectId: 'e1' }, host);
}

test('[CO-4] a mail costs the price of its account, once or for each recipient', async () => {
  const { port } = await startSmtpServer();
  const toThree = { ...LETTER, to: ['a@example.org', 'b@example.org'], cc: 'c@example.org' };
  expect(await send(port, { usd: 0.0001 }, toThree)).toMatchObject({ type: 'applied', cost: 100 });
  expect(await send(port, { usd: 0.0001, per: 'recipient' }, toThree)).toMatchObject({ cost: 300 });
  expect((await send(port, undefined)).cost).toBeUndefined();
});

test('[CO-3] a mail that may have been sent costs; a refused one does not', async () => {
  const post = await startSmtpServer();
  const cut = await startCuttingProxy(post, () => ({ down: cutBefore('250 queued') }));
  expect(await send(cut.port, { usd: 0.0001 })).toMatchObject({ type: 'ambiguous', cost: 100 });
  const spam = (): Promise<never> => Promise.reject(replyError(554, 'looks like spam'));
  const refusing = await startSmtpServer({ deliver: spam });
  const refused = await send(refusing.port, { usd: 0.0001 });
  expect(refused.type).toBe('failed');
  expect(refused.cost).toBeUndefined();
});
