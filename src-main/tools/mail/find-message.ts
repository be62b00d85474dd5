// Finds a mail by its Message-ID, and lists folders that can contain a sent mail.
import type { ImapFlow, ListResponse } from 'imapflow';
import type { MailAccount } from '#main/tools/mail/grant.ts';
import { ImapAnswerUnclear } from '#main/tools/mail/imap-session.ts';
import { MAX_FOLDERS_SEARCHED } from '#main/tools/mail/limits.ts';

const LIKELY_FIRST = [String.raw`\Sent`, String.raw`\Inbox`, String.raw`\All`];

/** UID of the mail in this folder, or null. Opens the folder read-only (EXAMINE). */
export async function findInFolder(
  client: ImapFlow,
  folder: string,
  messageId: string,
): Promise<number | null> {
  const lock = await client.getMailboxLock(folder, { readOnly: true });
  try {
    const found = await client.search({ header: { 'message-id': messageId } }, { uid: true });
    // imapflow returns false instead of an error when the server refuses to search.
    if (!Array.isArray(found))
      throw new ImapAnswerUnclear(`The server did not search the folder ${folder}.`);
    if (found.length === 0) return null;
    // IMAP matches substrings of the header; this must be exact.
    const mails = await client.fetchAll(found, { uid: true, envelope: true }, { uid: true });
    return mails.find(({ envelope }) => envelope?.messageId?.trim() === messageId)?.uid ?? null;
  } finally {
    lock.release();
  }
}

export async function sentFolderOf(
  client: ImapFlow,
  account: MailAccount,
): Promise<{ path: string; exists: boolean }> {
  const folders = await client.list();
  const path = account.sentFolder ?? folders.find(isCalled(String.raw`\Sent`))?.path ?? 'Sent';
  return { path, exists: folders.some((folder) => folder.path === path) };
}

/** Most likely folders first. Drafts prove nothing and are excluded. */
export async function foldersOfSentMail(client: ImapFlow, account: MailAccount): Promise<string[]> {
  const folders = (await client.list()).filter(
    (folder) => !folder.flags.has(String.raw`\Noselect`) && !isCalled(String.raw`\Drafts`)(folder),
  );
  const rank = (folder: ListResponse): number => {
    if (folder.path === account.sentFolder) return -1;
    const place = LIKELY_FIRST.indexOf(folder.specialUse ?? '');
    return place === -1 ? LIKELY_FIRST.length : place;
  };
  return folders
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MAX_FOLDERS_SEARCHED)
    .map(({ path }) => path);
}

function isCalled(specialUse: string): (folder: ListResponse) => boolean {
  return (folder) => folder.specialUse === specialUse;
}
