// Files the copy in the Sent folder, which people expect and the check searches. Filed only after
// the server accepted the mail, so a copy is proof. A failure to file it doesn't change the outcome.
import type { ComposedMail } from '#main/tools/mail/compose.ts';
import { findInFolder, sentFolderOf } from '#main/tools/mail/find-message.ts';
import type { MailGrant } from '#main/tools/mail/grant.ts';
import { withImap, type MailNetwork } from '#main/tools/mail/imap-session.ts';
import { FILING_TIMEOUT_MS } from '#main/tools/mail/limits.ts';
import type { ToolContext } from '#main/tools/tool.ts';

export type SentCopy = 'filed' | 'already_there' | 'left_to_server' | 'not_filed';

export async function fileSentCopy(
  context: ToolContext<MailGrant> & MailNetwork,
  mail: ComposedMail,
): Promise<SentCopy> {
  const { account } = context.grant;
  if (account.sentCopy === 'server') return 'left_to_server';
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(FILING_TIMEOUT_MS)]);
  const filed = await withImap({ ...context, signal }, async (client) => {
    const { path, exists } = await sentFolderOf(client, account);
    if (!exists) await client.mailboxCreate(path);
    else if ((await findInFolder(client, path, mail.messageId)) !== null) return 'already_there';
    // imapflow drops flags that the open folder doesn't accept, and a read-only folder accepts none.
    if (client.mailbox) await client.mailboxClose();
    const appended = await client.append(path, mail.ownCopy, [String.raw`\Seen`]);
    return appended ? 'filed' : 'not_filed';
  });
  return filed.type === 'done' ? filed.value : 'not_filed';
}
