// The grant for mail: one account and its allowed recipients. Passwords are referenced by name.
import { isIP } from 'node:net';
import { z } from 'zod';
import { addressOf, mailAddress, matchesPattern, oneLine } from '#main/tools/mail/address.ts';

const server = z.strictObject({
  host: oneLine.min(1).max(253),
  port: z.int().min(1).max(65_535),
  /** Implicit TLS. Default on ports 465 and 993. */
  secure: z.boolean().optional(),
  user: oneLine.min(1).max(320),
});

export const mailGrant = z.strictObject({
  account: z.strictObject({
    smtp: server,
    imap: server,
    from: mailAddress,
    passwordSecret: z.string().min(1).max(200),
    /** If IMAP has a password of its own. */
    imapPasswordSecret: z.string().min(1).max(200).optional(),
    /** Default: the server's folder with the Sent flag, else `Sent`. */
    sentFolder: oneLine.min(1).max(200).optional(),
    /** Whether Holdfast or the server files the copy of a sent mail. */
    sentCopy: z.enum(['append', 'server']).default('append'),
    /** Evidence for the check, see reconcile.ts. */
    proof: z.enum(['sent-copy', 'bcc-self']).default('sent-copy'),
    /** Patterns like `*@example.org`. Default: any recipient. */
    allowRecipients: z.array(oneLine.min(1).max(320)).min(1).max(1000).optional(),
    tls: z.strictObject({ rejectUnauthorized: z.boolean().default(true) }).optional(),
  }),
});

export type MailGrant = z.infer<typeof mailGrant>;
export type MailAccount = MailGrant['account'];
export type MailServer = z.infer<typeof server>;

export function imapSecretName(account: MailAccount): string {
  return account.imapPasswordSecret ?? account.passwordSecret;
}

export function mayReceive(account: MailAccount, address: string): boolean {
  const patterns = account.allowRecipients;
  return patterns === undefined || patterns.some((pattern) => matchesPattern(address, pattern));
}

/** Passwords leave this machine over TLS only. */
export interface Protection {
  readonly secure: boolean;
  readonly mustUpgrade: boolean;
  readonly rejectUnauthorized: boolean;
}

export function protectionOf(account: MailAccount, to: MailServer): Protection {
  const secure = to.secure ?? (to.port === 465 || to.port === 993);
  return {
    secure,
    mustUpgrade: !secure && !isLoopback(to.host),
    rejectUnauthorized: account.tls?.rejectUnauthorized ?? true,
  };
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === 'localhost';
}

export function describeMailGrant({ account }: MailGrant): string {
  const from = addressOf(account.from).address;
  const to = account.allowRecipients?.join(', ') ?? 'anyone';
  const unchecked =
    account.tls?.rejectUnauthorized === false ? ', without checking certificates' : '';
  return `may send mail as ${from} to ${to} (${account.smtp.host}), and may read the mail of ${account.imap.user} (${account.imap.host})${unchecked}`;
}
