// Builds the bytes of a mail. The Message-ID is derived from the effect id alone, so a later check
// on any device looks for the same one.
import { sha256Hex } from '#shared/ids.ts';
import { addressOf } from '#main/tools/mail/address.ts';
import type { MailAccount } from '#main/tools/mail/grant.ts';
import { addressesIn, recipientsOf, type SendParams } from '#main/tools/mail/send-params.ts';

const DOT_ATOM = /^[\w-]+(?:\.[\w-]+)*$/;

export interface ComposedMail {
  readonly messageId: string;
  readonly raw: Buffer;
  /** The copy for the Sent folder, with the Bcc header that recipients don't see. */
  readonly ownCopy: Buffer;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
}

export function messageIdOf(effectId: string): string {
  const usable = effectId.length <= 64 && DOT_ATOM.test(effectId);
  return `<${usable ? effectId : sha256Hex(effectId)}@holdfast.local>`;
}

export async function compose(
  account: MailAccount,
  effectId: string,
  params: SendParams,
  now: number,
): Promise<ComposedMail> {
  const messageId = messageIdOf(effectId);
  // Loaded with the first mail, to keep start-up fast.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from: addressOf(account.from),
    to: addressesIn(params.to),
    cc: addressesIn(params.cc),
    subject: params.subject,
    text: params.text,
    html: params.html,
    replyTo: params.replyTo === undefined ? undefined : addressOf(params.replyTo),
    inReplyTo: params.inReplyTo,
    references: params.inReplyTo,
    attachments: params.attachments?.map((attachment) => ({
      filename: attachment.filename,
      content: Buffer.from(attachment.contentBase64, 'base64'),
      contentType: attachment.contentType,
    })),
    messageId,
    date: new Date(now),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const raw = await composer.compile().build();
  return { messageId, raw, ownCopy: withBcc(raw, params), envelope: envelopeOf(account, params) };
}

function envelopeOf(account: MailAccount, params: SendParams): ComposedMail['envelope'] {
  const from = addressOf(account.from).address;
  const to = recipientsOf(params);
  const self = account.proof === 'bcc-self' && !to.includes(from) ? [from] : [];
  return { from, to: [...to, ...self] };
}

function withBcc(raw: Buffer, params: SendParams): Buffer {
  const bcc = addressesIn(params.bcc).map(({ address }) => address);
  if (bcc.length === 0) return raw;
  return Buffer.concat([Buffer.from(`Bcc: ${bcc.join(',\r\n ')}\r\n`), raw]);
}
