// Mail: sending over SMTP is an effect; searching and reading over IMAP are reads.
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
  howToCheck: (params) =>
    `Look for “${params.subject}” to ${peopleOf(params)} in the Sent folder. If it isn't there, it may still have been sent: ask one of the recipients.`,
};

const search: ReadMethod<SearchParams, MailGrant> = {
  kind: 'read',
  params: searchParams.describe('Searches mail in a folder, newest first.'),
  describe: ({ folder = 'INBOX', limit }) => `Search up to ${limit} mails in ${folder}`,
  call: searchMail,
};

const read: ReadMethod<ReadParams, MailGrant> = {
  kind: 'read',
  params: readParams.describe('Reads one mail without marking it as seen.'),
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
