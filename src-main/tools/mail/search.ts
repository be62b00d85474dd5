// Searches mail. EXAMINE opens the folder read-only.
import type { SearchObject } from 'imapflow';
import { z } from 'zod';
import { oneLine } from '#main/tools/mail/address.ts';
import type { MailGrant } from '#main/tools/mail/grant.ts';
import { ImapAnswerUnclear, withImap, type MailNetwork } from '#main/tools/mail/imap-session.ts';
import { MAX_FOUND } from '#main/tools/mail/limits.ts';
import { summaryOf, SUMMARY_QUERY } from '#main/tools/mail/mail-view.ts';
import type { ReadOutcome, ToolContext } from '#main/tools/tool.ts';

export const folderName = oneLine.min(1).max(500);

export const searchParams = z.strictObject({
  folder: folderName.optional(),
  /** Received at this time or later. */
  since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
  /** Substring of the sender's name or address. */
  from: oneLine.min(1).max(500).optional(),
  subject: oneLine.min(1).max(500).optional(),
  unseen: z.boolean().optional(),
  limit: z.int().min(1).max(MAX_FOUND).default(20),
});

export type SearchParams = z.infer<typeof searchParams>;

/** Newest first. */
export async function searchMail(
  context: ToolContext<MailGrant> & MailNetwork,
  params: SearchParams,
): Promise<ReadOutcome> {
  const since = params.since === undefined ? undefined : new Date(params.since);
  const search = await withImap(context, async (client) => {
    const lock = await client.getMailboxLock(params.folder ?? 'INBOX', { readOnly: true });
    try {
      const found = await client.search(queryOf(params, since), { uid: true });
      if (!Array.isArray(found))
        throw new ImapAnswerUnclear('The server did not search the folder.');
      // UIDs increase with every arriving mail.
      const newest = found.toSorted((a, b) => b - a).slice(0, params.limit);
      if (newest.length === 0) return [];
      const query = { ...SUMMARY_QUERY, internalDate: true };
      const mails = await client.fetchAll(newest, query, { uid: true });
      return mails
        .filter(({ internalDate }) => isSince(internalDate, since))
        .toSorted((a, b) => b.uid - a.uid)
        .map(summaryOf);
    } finally {
      lock.release();
    }
  });
  if (search.type === 'failed') return search;
  return { type: 'ok', result: search.value.map((mail) => ({ ...mail })) };
}

function queryOf({ from, subject, unseen }: SearchParams, since: Date | undefined): SearchObject {
  return {
    all: true,
    ...(from === undefined ? {} : { from }),
    ...(subject === undefined ? {} : { subject }),
    ...(unseen === undefined ? {} : { seen: !unseen }),
    ...(since === undefined ? {} : { since: dayBefore(since) }),
  };
}

/** IMAP compares days in the server's time zone, so this asks for more and filters exactly. */
function dayBefore(instant: Date): Date {
  return new Date(instant.getTime() - 24 * 60 * 60 * 1000);
}

function isSince(received: Date | string | undefined, since: Date | undefined): boolean {
  if (since === undefined || received === undefined) return true;
  return new Date(received).getTime() >= since.getTime();
}
