// Sends one mail: validate before connecting, run one SMTP dialogue, then file a copy.
import { isOfTheNetwork } from '#main/tools/egress/error-code.ts';
import { compose, type ComposedMail } from '#main/tools/mail/compose.ts';
import {
  addressRefused,
  mailHostKey,
  mayReceive,
  protectionOf,
  type MailGrant,
} from '#main/tools/mail/grant.ts';
import type { MailNetwork } from '#main/tools/mail/imap-session.ts';
import { createScrub } from '#main/tools/mail/scrub.ts';
import { recipientsOf, type SendParams } from '#main/tools/mail/send-params.ts';
import { fileSentCopy } from '#main/tools/mail/sent-copy.ts';
import { speakSmtp, type DialogueEnd } from '#main/tools/mail/smtp-dialogue.ts';
import { smtpVerdict } from '#main/tools/mail/smtp-verdict.ts';
import { heldBack, waitsForOf } from '#main/tools/outside-hosts/doorway.ts';
import type { MutationContext, MutationOutcome, ToolFailure } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import type { CallEnd } from '#shared/outside/host-gate.ts';

export async function sendMail(
  context: MutationContext<MailGrant> & MailNetwork,
  params: SendParams,
): Promise<MutationOutcome> {
  const { account } = context.grant;
  const outside = checkRecipients(context.grant, params);
  if (outside) return { type: 'failed', ...outside };
  const password = await context.secret(account.passwordSecret);

  const mail = await compose(account, context.effectId, params, context.clock.now());
  const visit = await context.doorway.enter(mailHostKey(account.smtp));
  if (visit.type === 'waits') return { type: 'not_sent', ...heldBack(visit) };
  const end = await speakSmtp({
    server: account.smtp,
    protection: protectionOf(account, account.smtp),
    password,
    mail,
    signal: context.signal,
    maySend: context.maySend,
    resolve: context.resolve,
  });
  const wait = visit.leave(callEnd(end));
  if (end.type === 'held_back') return { type: 'not_sent', ...end.failure };
  if (end.type === 'refused') return { type: 'failed', ...addressRefused(end.cause) };
  const scrub = createScrub(account.smtp.user, password);
  if (end.type === 'broken') {
    return { ...smtpVerdict(end.trouble, account.smtp.host, scrub), ...waitsForOf(wait) };
  }
  return {
    type: 'applied',
    result: {
      messageId: mail.messageId,
      accepted: recipientsOf(params),
      response: scrub(end.response),
      ...(end.serverMessageId === undefined ? {} : { serverMessageId: scrub(end.serverMessageId) }),
      sentCopy: await tryFiling(context, mail),
    },
  };
}

function callEnd(end: DialogueEnd): CallEnd {
  if (end.type === 'accepted') return { type: 'answered' };
  if (end.type !== 'broken' || !end.unreachable) return { type: 'unanswered' };
  return { type: 'unreachable', isNetwork: isOfTheNetwork(end.unreachable) };
}

/** The mail counts as sent even if filing the copy fails. */
async function tryFiling(
  context: MutationContext<MailGrant> & MailNetwork,
  mail: ComposedMail,
): Promise<Json> {
  try {
    return await fileSentCopy(context, mail);
  } catch {
    return 'not_filed';
  }
}

export function checkRecipients({ account }: MailGrant, params: SendParams): ToolFailure | null {
  const stranger = recipientsOf(params).find((address) => !mayReceive(account, address));
  if (stranger === undefined) return null;
  return {
    errorType: 'permission',
    error: `The grant does not allow mail to ${stranger}. Nothing was sent to anyone. Add the address to allowRecipients, or change the recipients.`,
  };
}
