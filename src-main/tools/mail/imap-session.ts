// One IMAP connection per operation. Errors are returned as values without passwords, because
// imapflow's own errors contain the commands that were sent.
import type { ImapFlow, ImapFlowError, ImapFlowOptions } from 'imapflow';
import { isOfTheNetwork } from '#main/tools/egress/error-code.ts';
import { AddressRefused, guardedLookup, type Resolve } from '#main/tools/egress/guarded-lookup.ts';
import { CONNECT_TIMEOUT_MS } from '#main/tools/limits.ts';
import {
  addressRefused,
  imapSecretName,
  mailHostKey,
  protectionOf,
  reachOf,
  type MailAccount,
  type MailGrant,
} from '#main/tools/mail/grant.ts';
import {
  GREETING_TIMEOUT_MS,
  IMAP_SILENCE_MS,
  MAX_IMAP_ANSWER_BYTES,
} from '#main/tools/mail/limits.ts';
import { createScrub, type Scrub } from '#main/tools/mail/scrub.ts';
import { heldBack, waitsForOf } from '#main/tools/outside-hosts/doorway.ts';
import type { ToolContext, ToolFailure } from '#main/tools/tool.ts';

export type ImapOutcome<T> =
  | { readonly type: 'done'; readonly value: T }
  | ({ readonly type: 'failed' } & ToolFailure);

export interface MailNetwork {
  /** Instead of the system's name lookup. */
  readonly resolve?: Resolve | undefined;
}

/** The server's response is inconclusive: no result is not an empty result. */
export class ImapAnswerUnclear extends Error {}

export async function withImap<T>(
  context: ToolContext<MailGrant> & MailNetwork,
  work: (client: ImapFlow) => Promise<T>,
): Promise<ImapOutcome<T>> {
  const { account } = context.grant;
  const password = await context.secret(imapSecretName(account));
  const visit = await context.doorway.enter(mailHostKey(account.imap));
  if (visit.type === 'waits') return { type: 'failed', ...heldBack(visit) };
  // Loaded with the first mailbox, to keep start-up fast.
  const { ImapFlow: Client } = await import('imapflow');
  const client = new Client(optionsOf(account, password, context.resolve));
  // The pending call reports the error too; without a listener it would end the process.
  client.on('error', () => {});
  const stop = (): void => client.close();
  context.signal.addEventListener('abort', stop);
  let isConnected = false;
  try {
    context.signal.throwIfAborted();
    await client.connect();
    isConnected = true;
    const value = await work(client);
    await client.logout().catch(() => {});
    visit.leave({ type: 'answered' });
    return { type: 'done', value };
  } catch (error) {
    if (error instanceof AddressRefused) return { type: 'failed', ...addressRefused(error) };
    const scrub = createScrub(account.imap.user, password);
    const failure = failureOf(error, context.signal, account.imap.host, scrub);
    const isUnreachable =
      !isConnected && failure.errorType === 'network' && !context.signal.aborted;
    if (!isUnreachable) return { type: 'failed', ...failure };
    const end = { type: 'unreachable', isNetwork: isOfTheNetwork(error as Error) } as const;
    return { type: 'failed', ...failure, ...waitsForOf(visit.leave(end)) };
  } finally {
    context.signal.removeEventListener('abort', stop);
    client.close();
    visit.leave({ type: 'unanswered' });
  }
}

function optionsOf(
  account: MailAccount,
  password: string,
  resolve: Resolve | undefined,
): ImapFlowOptions {
  const { secure, mustUpgrade, rejectUnauthorized } = protectionOf(account, account.imap);
  return {
    host: account.imap.host,
    port: account.imap.port,
    secure,
    ...(mustUpgrade ? { doSTARTTLS: true } : {}),
    // The client passes these to net.connect too.
    tls: { rejectUnauthorized, lookup: guardedLookup(reachOf(account.imap), resolve) },
    auth: { user: account.imap.user, pass: password },
    logger: false,
    disableAutoIdle: true,
    clientInfo: { name: 'Holdfast' },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: IMAP_SILENCE_MS,
    maxLiteralSize: MAX_IMAP_ANSWER_BYTES,
    maxResponseSize: MAX_IMAP_ANSWER_BYTES,
  };
}

function failureOf(error: unknown, signal: AbortSignal, host: string, scrub: Scrub): ToolFailure {
  const { message, responseText, authenticationFailed, mailboxMissing, responseStatus } =
    error as ImapFlowError;
  const said = scrub(responseText ?? message);
  if (signal.aborted) {
    return {
      errorType: 'network',
      error: `The call to ${host} was canceled or timed out.`,
    };
  }
  if (authenticationFailed) {
    return {
      errorType: 'auth',
      error: `${host} rejected the user name or password (${said}). Check them.`,
    };
  }
  if (mailboxMissing) {
    return { errorType: 'logic', error: `There is no such mail folder on ${host} (${said}).` };
  }
  if (responseStatus !== undefined || error instanceof ImapAnswerUnclear) {
    return { errorType: 'logic', error: `${host} refused the request (${said}).` };
  }
  return { errorType: 'network', error: `Could not reach the mail server ${host} (${said}).` };
}
