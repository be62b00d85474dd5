// Checks whether a mail was sent, after a crash or a lost final response:
//
// - The mail is in a folder of the account: it was sent. Holdfast files its copy only after the
//   server accepted the mail; a server's own copy, or a delivery to ourselves, implies acceptance.
// - The mail is nowhere: that proves nothing. The host may have stopped between acceptance and
//   filing; a delivery to ourselves may be late, moved or deleted.
//
// So the result is `happened` or `unknown`, never `did_not_happen`: only the call itself can know
// that a mail was not sent (smtp-verdict.ts). `proof: 'bcc-self'` narrows the unknown: the account
// is one more recipient, so acceptance alone puts the mail into its mailbox.
import type { ImapFlow } from 'imapflow';
import { UNREACHED_CHECK_MS } from '#main/tools/limits.ts';
import { messageIdOf } from '#main/tools/mail/compose.ts';
import { findInFolder, foldersOfSentMail } from '#main/tools/mail/find-message.ts';
import { mailHostKey, type MailGrant } from '#main/tools/mail/grant.ts';
import { withImap, type MailNetwork } from '#main/tools/mail/imap-session.ts';
import { recipientsOf, type SendParams } from '#main/tools/mail/send-params.ts';
import type { ReconcileContext, ReconcileOutcome } from '#main/tools/tool.ts';

export async function reconcileMail(
  context: ReconcileContext<MailGrant> & MailNetwork,
  params: SendParams,
): Promise<ReconcileOutcome> {
  const { account } = context.grant;
  const messageId = messageIdOf(context.effectId);
  const search = await withImap(context, async (client) => {
    for (const folder of await foldersOfSentMail(client, account)) {
      const uid = await findInFolder(client, folder, messageId).catch(unlessLost(client));
      if (uid !== null) return { folder, uid };
    }
    return null;
  });
  if (search.type === 'failed') {
    const { error, errorType, waitsFor } = search;
    if (errorType !== 'network') return { type: 'unknown', error };
    const later = {
      host: mailHostKey(account.imap),
      until: context.clock.now() + UNREACHED_CHECK_MS,
    };
    return { type: 'unknown', error, waitsFor: waitsFor ?? later, isUnreached: true };
  }
  const found = search.value;
  if (found === null) {
    return {
      type: 'unknown',
      error: `No mail with the Message-ID ${messageId} was found in the folders of ${account.imap.user}. It may still have been sent.`,
    };
  }
  // A mail goes to all recipients or none, so finding it means that all got it.
  return {
    type: 'happened',
    result: { messageId, accepted: recipientsOf(params), foundIn: found },
  };
}

/** A folder that can't be searched must not hide the mail in the next one. */
function unlessLost(client: ImapFlow): (error: unknown) => null {
  return (error) => {
    if (!client.usable) throw error;
    return null;
  };
}
