// Params for sending a mail. Header values must be one line: a newline could inject a header or a
// recipient.
import { z } from 'zod';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { addressOf, mailAddress, oneLine, type Address } from '#main/tools/mail/address.ts';
import { MAX_ATTACHMENTS_SENT, MAX_RECIPIENTS } from '#main/tools/mail/limits.ts';

const recipients = z.union([mailAddress, z.array(mailAddress).max(MAX_RECIPIENTS)]);

const attachment = z.strictObject({
  filename: oneLine.min(1).max(255),
  contentBase64: z.base64(),
  contentType: z
    .string()
    .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/, 'must be a type like text/csv')
    .optional(),
});

const messageReference = z
  .string()
  .max(500)
  .regex(/^<[^<>\s@]+@[^<>\s@]+>$/, 'must be a Message-ID like <id@example.org>');

export const sendParams = z
  .strictObject({
    to: recipients,
    cc: recipients.optional(),
    bcc: recipients.optional(),
    subject: oneLine.max(1000),
    text: z.string().optional(),
    html: z.string().optional(),
    attachments: z.array(attachment).max(MAX_ATTACHMENTS_SENT).optional(),
    replyTo: mailAddress.optional(),
    inReplyTo: messageReference.optional(),
  })
  .superRefine((params, check) => {
    const { length } = recipientsOf(params);
    if (length === 0) check.addIssue('The mail has no recipients.');
    if (length > MAX_RECIPIENTS)
      check.addIssue(`The mail has more than ${MAX_RECIPIENTS} recipients.`);
    const content = params.text ?? params.html ?? params.attachments?.[0];
    if (content === undefined) check.addIssue('The mail needs text, html or an attachment.');
    if (Buffer.byteLength(JSON.stringify(params)) > MAX_PAYLOAD_BYTES) {
      check.addIssue(`The mail is larger than ${MAX_PAYLOAD_BYTES} bytes.`);
    }
  });

export type SendParams = z.infer<typeof sendParams>;

export function addressesIn(field: string | readonly string[] | undefined): Address[] {
  if (field === undefined) return [];
  return (typeof field === 'string' ? [field] : field).map(addressOf);
}

/** All recipients without duplicates. */
export function recipientsOf(params: Pick<SendParams, 'to' | 'cc' | 'bcc'>): string[] {
  const all = [params.to, params.cc, params.bcc].flatMap(addressesIn);
  return [...new Set(all.map(({ address }) => address))];
}
