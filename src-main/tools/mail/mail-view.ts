// A mail as a workflow sees it. Everything here is untrusted: it is truncated and sanitized so that
// it can be stored.
import type { FetchMessageObject, MessageAddressObject } from 'imapflow';
import { MAX_ADDRESSES_NAMED, MAX_HEADER_LENGTH } from '#main/tools/mail/limits.ts';

export const SUMMARY_QUERY = { uid: true, envelope: true, flags: true, size: true } as const;

export interface MailSummary {
  uid: number;
  messageId: string | null;
  from: string | null;
  to: string[];
  subject: string;
  date: string | null;
  seen: boolean;
  size: number;
}

export function summaryOf(mail: FetchMessageObject): MailSummary {
  const { envelope } = mail;
  return {
    uid: mail.uid,
    messageId: envelope?.messageId === undefined ? null : headerText(envelope.messageId),
    from: envelope?.from?.map(addressText)[0] ?? null,
    to: (envelope?.to ?? []).slice(0, MAX_ADDRESSES_NAMED).map(addressText),
    subject: headerText(envelope?.subject ?? ''),
    date: instant(envelope?.date),
    seen: mail.flags?.has(String.raw`\Seen`) ?? false,
    size: mail.size ?? 0,
  };
}

export function headerText(text: string): string {
  return keepable(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_HEADER_LENGTH).toWellFormed();
}

/** Removes lone surrogates and control characters other than whitespace. */
export function keepable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, '\uFFFD');
}

function addressText({ name, address }: MessageAddressObject): string {
  return headerText(name ? `${name} <${address ?? ''}>` : (address ?? ''));
}

/** The sender's date can be any text. */
function instant(date: Date | string | undefined): string | null {
  const time = date === undefined ? Number.NaN : new Date(date).getTime();
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
