// Mail: sending is an effect, by SMTP; searching and reading are reads, by IMAP.
import { describeMailGrant, mailGrant, type MailGrant } from '#main/tools/mail/grant.ts';
import { readMail, readParams, type ReadParams } from '#main/tools/mail/read.ts';
import { reconcileMail } from '#main/tools/mail/reconcile.ts';
import { searchMail, searchParams, type SearchParams } from '#main/tools/mail/search.ts';
import { checkRecipients, sendMail } from '#main/tools/mail/send.ts';
import { recipientsOf, sendParams, type SendParams } from '#main/tools/mail/send-params.ts';
import type { MutationMethod, ReadMethod, Tool } from '#main/tools/tool.ts';

const send: MutationMethod<SendParams, MailGrant> = {
  kind: 'mutation',
  params: sendParams.describe('Sends a mail.'),
  describe: (params) => `Send the mail “${params.subject}” to ${peopleOf(params)}`,
  check: checkRecipients,
  call: sendMail,
  reconcile: reconcileMail,
  lookByHand: (params) =>
    `Look for “${params.subject}” to ${peopleOf(params)} in the folder of sent mail. If it is not there, it may have been sent all the same: ask one of the recipients.`,
};

const search: ReadMethod<SearchParams, MailGrant> = {
  kind: 'read',
  params: searchParams.describe('Looks for mail in a folder, the newest first.'),
  describe: ({ folder = 'INBOX', limit }) => `Look for up to ${limit} mails in ${folder}`,
  call: searchMail,
};

const read: ReadMethod<ReadParams, MailGrant> = {
  kind: 'read',
  params: readParams.describe('Reads one mail without marking it seen.'),
  describe: ({ folder = 'INBOX', uid }) => `Read the mail ${uid} in ${folder}`,
  call: readMail,
};

export function createMailTool(): Tool {
  return {
    namespace: 'mail',
    grant: mailGrant,
    describeGrant: (grant) => describeMailGrant(grant as MailGrant),
    methods: { send, search, read },
  };
}

function peopleOf(params: SendParams): string {
  const [first, ...others] = recipientsOf(params);
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more`;
}
