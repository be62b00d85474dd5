// The grant for mail: one account and its allowed recipients. Passwords are referenced by name.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { rangeOf } from '#main/tools/egress/address-range.ts';
import { usualReach, type AddressRefused, type Reach } from '#main/tools/egress/guarded-lookup.ts';
import { addressOf, mailAddress, matchesPattern, oneLine } from '#main/tools/mail/address.ts';
import type { ToolFailure } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';

const server = z.strictObject({
  host: oneLine.min(1).max(253),
  port: z.int().min(1).max(65_535),
  /** Implicit TLS. Default on ports 465 and 993. */
  secure: z.boolean().optional(),
  /** The name may have addresses that are not on the internet. */
  private: z.literal(true).optional(),
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
    /** The cost of a sent mail. */
    cost: z
      .strictObject({
        usd: z.number().min(0).max(1_000_000),
        per: z.enum(['mail', 'recipient']).default('mail'),
      })
      .optional(),
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
    mustUpgrade: !secure && !isLoopback(to),
    rejectUnauthorized: account.tls?.rejectUnauthorized ?? true,
  };
}

const STANDARD_PORTS = [25, 143, 465, 587, 993];

/** The host as limits spell it. */
export function mailHostKey({ host, port }: MailServer): string {
  const name = host.toLowerCase();
  return STANDARD_PORTS.includes(port) ? name : `${name}:${port}`;
}

export function reachOf(to: MailServer): Reach {
  return to.private ? 'private' : usualReach(to.host);
}

function isLoopback(to: MailServer): boolean {
  return rangeOf(to.host) === 'loopback' || reachOf(to) === 'loopback';
}

export function addressRefused({ message }: AddressRefused): ToolFailure {
  return {
    errorType: 'permission',
    error: `${message}. A grant of a name reaches only the internet. Nothing was sent. To allow it, add "private": true to the server in the grant.`,
  };
}

/** The recipients that both grants allow; none if the account differs in anything else. */
export function narrowMail(one: unknown, other: unknown): Json | null {
  const [a, b] = [(one as MailGrant).account, (other as MailGrant).account];
  const { allowRecipients: ofOne, ...account } = a;
  const { allowRecipients: ofOther, ...otherAccount } = b;
  if (!isDeepStrictEqual(account, otherAccount)) return null;
  const allowed = ofOne && ofOther ? narrowRecipients(ofOne, ofOther) : (ofOne ?? ofOther);
  if (allowed?.length === 0) return null;
  const whole = { ...account, ...(allowed === undefined ? {} : { allowRecipients: allowed }) };
  return { account: whole } as unknown as Json;
}

function narrowRecipients(one: readonly string[], other: readonly string[]): string[] {
  const within = (inner: readonly string[], outer: readonly string[]): string[] =>
    inner.filter((pattern) =>
      outer.some(
        (wider) => wider === pattern || (!pattern.includes('*') && matchesPattern(pattern, wider)),
      ),
    );
  return [...new Set([...within(one, other), ...within(other, one)])];
}

export function describeMailGrant({ account }: MailGrant): string {
  const from = addressOf(account.from).address;
  const to = account.allowRecipients?.join(', ') ?? 'anyone';
  const unchecked =
    account.tls?.rejectUnauthorized === false ? ', without checking certificates' : '';
  return `may send mail as ${from} to ${to} (${spell(account.smtp)}), and may read the mail of ${account.imap.user} (${spell(account.imap)})${unchecked}`;
}

function spell(to: MailServer): string {
  return to.private ? `${to.host}, also in the local network and on this machine` : to.host;
}
