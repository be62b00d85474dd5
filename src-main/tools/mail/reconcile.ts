// Was it sent? Asked after a crash, or when the server's last answer was lost. What gives certainty:
//
// - The mail is in a folder of the account: it happened. Our copy is filed only after the server
//   took the mail; a server's own copy, or one that was delivered to ourselves, comes with it.
// - It is nowhere: that proves nothing. The host may have stopped between the server's yes and the
//   filing; a delivery to ourselves may be late, or be moved or deleted. A copy filed before the
//   mail is handed over would be there in both cases, and so prove nothing either.
//
// So the answer is `happened` or `unknown`, never `did_not_happen`: that a mail did not go out is
// known at the time of the call only (smtp-verdict.ts). `proof: 'bcc-self'` narrows the doubt: we
// are one more recipient, so the server's yes itself puts the mail into our mailbox, and only a
// mail that was truly never accepted stays unknown, for a person to decide.
import type { ImapFlow } from 'imapflow';
import { messageIdOf } from '#main/tools/mail/compose.ts';
import { findInFolder, foldersOfSentMail } from '#main/tools/mail/find-message.ts';
import type { MailGrant } from '#main/tools/mail/grant.ts';
import { withImap } from '#main/tools/mail/imap-session.ts';
import { recipientsOf, type SendParams } from '#main/tools/mail/send-params.ts';
import type { ReconcileContext, ReconcileOutcome } from '#main/tools/tool.ts';

export async function reconcileMail(
  context: ReconcileContext<MailGrant>,
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
  if (search.type === 'failed') return { type: 'unknown', error: search.error };
  const found = search.value;
  if (found === null) {
    return {
      type: 'unknown',
      error: `No mail with the Message-ID ${messageId} was found in the folders of ${account.imap.user}. That does not prove that it was not sent.`,
    };
  }
  // Mail goes to all of its recipients or to none, so that it is there says who got it.
  return {
    type: 'happened',
    result: { messageId, accepted: recipientsOf(params), foundIn: found },
  };
}

/** A folder that cannot be looked into must not hide the mail in the next one. */
function unlessLost(client: ImapFlow): (error: unknown) => null {
  return (error) => {
    if (!client.usable) throw error;
    return null;
  };
}
