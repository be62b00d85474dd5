// Mail: sending over SMTP is an effect; searching and reading over IMAP are reads.
import {
  describeMailGrant,
  mailGrant,
  mailHostKey,
  narrowMail,
  type MailGrant,
} from '#main/tools/mail/grant.ts';
import type { MailNetwork } from '#main/tools/mail/imap-session.ts';
import { readMail, readParams, type ReadParams } from '#main/tools/mail/read.ts';
import { reconcileMail } from '#main/tools/mail/reconcile.ts';
import { searchMail, searchParams, type SearchParams } from '#main/tools/mail/search.ts';
import { checkRecipients, sendMail } from '#main/tools/mail/send.ts';
import { recipientsOf, sendParams, type SendParams } from '#main/tools/mail/send-params.ts';
import type { MutationMethod, ReadMethod, Tool } from '#main/tools/tool.ts';
import { microdollarsOf } from '#shared/cost.ts';

const send = (network: MailNetwork): MutationMethod<SendParams, MailGrant> => ({
  kind: 'mutation',
  params: sendParams.describe('Sends a mail.'),
  describe: (params) => `Send the mail “${params.subject}” to ${peopleOf(params)}`,
  check: checkRecipients,
  costOf: ({ account: { cost } }, params) => {
    if (!cost) return { microdollars: 0 };
    const value = cost.per === 'recipient' ? recipientsOf(params).length : 1;
    return { microdollars: microdollarsOf([{ value, usd: cost.usd }]) ?? 0 };
  },
  hostOf: ({ account }) => mailHostKey(account.smtp),
  call: (context, params) => sendMail({ ...context, ...network }, params),
  reconcile: (context, params) => reconcileMail({ ...context, ...network }, params),
  howToCheck: (params) =>
    `Look for “${params.subject}” to ${peopleOf(params)} in the Sent folder. If it isn't there, it may still have been sent: ask one of the recipients.`,
});

const search = (network: MailNetwork): ReadMethod<SearchParams, MailGrant> => ({
  kind: 'read',
  params: searchParams.describe('Searches mail in a folder, newest first.'),
  describe: ({ folder = 'INBOX', limit }) => `Search up to ${limit} mails in ${folder}`,
  call: (context, params) => searchMail({ ...context, ...network }, params),
});

const read = (network: MailNetwork): ReadMethod<ReadParams, MailGrant> => ({
  kind: 'read',
  params: readParams.describe('Reads one mail without marking it as seen.'),
  describe: ({ folder = 'INBOX', uid }) => `Read the mail ${uid} in ${folder}`,
  call: (context, params) => readMail({ ...context, ...network }, params),
});

export function createMailTool(network: MailNetwork = {}): Tool {
  return {
    namespace: 'mail',
    grant: mailGrant,
    describeGrant: (grant) => describeMailGrant(grant as MailGrant),
    narrow: narrowMail,
    methods: { send: send(network), search: search(network), read: read(network) },
  };
}

function peopleOf(params: SendParams): string {
  const [first, ...others] = recipientsOf(params);
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more`;
}
