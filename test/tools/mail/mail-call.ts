// Calls the mail tool as the engine does: params and grant are parsed by their schemas first.
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import type { Json } from '#shared/json.ts';
import { mailGrant, type MailGrant } from '#main/tools/mail/grant.ts';
import { doorwayOfEffect } from '#main/tools/outside-hosts/doorway.ts';
import type { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { createMailTool } from '#main/tools/mail/mail.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import type {
  MaySend,
  MutationContext,
  MutationMethod,
  MutationOutcome,
  ReadMethod,
  ReadOutcome,
  ReconcileContext,
  ReconcileOutcome,
} from '#main/tools/tool.ts';
import { unlimitedHosts } from '#test/tools/call-host.ts';
import { SMTP_PASSWORD } from '#test/tools/mail/smtp-server.ts';

export interface Ends {
  readonly smtpPort: number;
  /** Port 1 by default, where nothing listens. */
  readonly imapPort?: number;
  readonly imapPassword?: string;
  readonly account?: object;
  readonly effectId?: string;
  readonly signal?: AbortSignal;
  readonly withoutSecrets?: boolean;
  /** Without limits by default. */
  readonly hosts?: OutsideHosts;
  readonly maySend?: MaySend;
}

const mailTool = createMailTool();

export const LETTER = { to: 'bob@example.org', subject: 'Report', text: 'All is well.\n.\nBye' };

export function sendMethod(): MutationMethod<unknown, MailGrant> {
  return mailTool.methods['send'] as unknown as MutationMethod<unknown, MailGrant>;
}

export function contextOf(ends: Ends): MutationContext<MailGrant> & ReconcileContext<MailGrant> {
  const grant = mailGrant.parse({
    account: {
      smtp: { host: '127.0.0.1', port: ends.smtpPort, user: 'ada' },
      imap: { host: '127.0.0.1', port: ends.imapPort ?? 1, user: 'ada@example.org' },
      from: 'Ada <ada@example.org>',
      passwordSecret: 'mail',
      imapPasswordSecret: 'imap',
      ...ends.account,
    },
  });
  const secrets: Record<string, string> = { mail: SMTP_PASSWORD, imap: ends.imapPassword ?? 'x' };
  return {
    grant,
    secret: async (name) => {
      if (ends.withoutSecrets || secrets[name] === undefined) throw new SecretMissing(name);
      return secrets[name];
    },
    clock: createVirtualClock(),
    doorway: doorwayOfEffect(ends.hosts ?? unlimitedHosts(), null),
    sentAt: 0,
    witness: undefined,
    wasResent: false,
    maySend: ends.maySend ?? (() => null),
    wasSentBefore: false,
    signal: ends.signal ?? new AbortController().signal,
    effectId: ends.effectId ?? 'e0000000000000000000000000000001',
  };
}

export async function send(ends: Ends, params: object = LETTER): Promise<MutationOutcome> {
  return sendMethod().call(contextOf(ends), sendMethod().params.parse(params));
}

export async function reconcile(ends: Ends, params: object = LETTER): Promise<ReconcileOutcome> {
  const outcome = await sendMethod().reconcile?.(
    contextOf(ends),
    sendMethod().params.parse(params),
  );
  if (!outcome) throw new Error('send cannot be reconciled');
  return outcome;
}

export async function ask(
  name: 'search' | 'read',
  ends: Ends,
  params: object,
): Promise<ReadOutcome> {
  const method = mailTool.methods[name] as unknown as ReadMethod<unknown, MailGrant>;
  return method.call(contextOf(ends), method.params.parse(params));
}

export async function askForResult(
  name: 'search' | 'read',
  ends: Ends,
  params: object,
): Promise<Json> {
  const outcome = await ask(name, ends, params);
  if (outcome.type === 'failed') throw new Error(outcome.error);
  return outcome.result;
}
