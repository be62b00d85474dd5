// One mail per SMTP connection. nodemailer doesn't report whether the server may have seen the end
// of the mail. DATA ends when the mail stream ends, so this passes its own stream and records when
// it ends. Before that the server must discard the mail (RFC 5321, 4.1.1.4); after it, only the
// server's response decides.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type {
  default as SMTPConnection,
  SMTPConnectionEnvelope,
  SMTPConnectionSendInfo,
} from 'nodemailer/lib/smtp-connection';
import { AddressRefused, guardedLookup, type Resolve } from '#main/tools/egress/guarded-lookup.ts';
import { openSocket } from '#main/tools/egress/open-socket.ts';
import { CONNECT_TIMEOUT_MS } from '#main/tools/limits.ts';
import type { ComposedMail } from '#main/tools/mail/compose.ts';
import { reachOf, type MailServer, type Protection } from '#main/tools/mail/grant.ts';
import { GREETING_TIMEOUT_MS, SMTP_SILENCE_MS } from '#main/tools/mail/limits.ts';
import type { MaySend, ToolFailure } from '#main/tools/tool.ts';
import type { SmtpTrouble } from '#main/tools/mail/smtp-verdict.ts';

const CHUNK_BYTES = 16_384;
const LOOK_EVERY_MS = 1000;

export interface SmtpCall {
  readonly server: MailServer;
  readonly protection: Protection;
  readonly password: string;
  readonly mail: ComposedMail;
  readonly signal: AbortSignal;
  /** Called before the envelope and before the mail itself, and every second until then. */
  readonly maySend: MaySend;
  readonly resolve?: Resolve | undefined;
}

export type DialogueEnd =
  | {
      readonly type: 'accepted';
      readonly response: string;
      /** Some servers (Microsoft 365, Amazon SES) replace the Message-ID. */
      readonly serverMessageId?: string;
    }
  /** It was too late to send it. The server got no mail. */
  | { readonly type: 'held_back'; readonly failure: ToolFailure }
  | {
      readonly type: 'broken';
      readonly trouble: SmtpTrouble;
      /** No connection was made, for this reason. */
      readonly unreachable?: Error;
    }
  /** The grant does not reach the address of the server. Nothing was sent. */
  | { readonly type: 'refused'; readonly cause: AddressRefused };

type MailError = Omit<SmtpTrouble, 'endReleased'>;

export async function speakSmtp(call: SmtpCall): Promise<DialogueEnd> {
  try {
    const { host, port } = call.server;
    const lookup = guardedLookup(reachOf(call.server), call.resolve);
    return await speakOver(await openSocket({ host, port, lookup, signal: call.signal }), call);
  } catch (error) {
    if (error instanceof AddressRefused) return { type: 'refused', cause: error };
    const trouble = { ...troubleOf(error as Error), endReleased: false };
    if (call.signal.aborted) return { type: 'broken', trouble };
    return { type: 'broken', trouble, unreachable: error as Error };
  }
}

async function speakOver(socket: Socket, call: SmtpCall): Promise<DialogueEnd> {
  // Loaded with the first mail, to keep start-up fast.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  return new Promise((resolve) => {
    const connection = new Connection({ ...optionsOf(call), connection: socket });
    // nodemailer stores recipient results in the envelope object.
    const envelope: Partial<SMTPConnectionEnvelope> = {
      from: call.mail.envelope.from,
      to: [...call.mail.envelope.to],
      size: call.mail.raw.length,
    };
    let heldBack: ToolFailure | null = null;
    const content = createContent(call.mail.raw, () => {
      heldBack = call.maySend();
      return heldBack ? { message: heldBack.error } : firstRefusal(envelope);
    });
    let over = false;
    const looking = setInterval(() => void call.maySend(), LOOK_EVERY_MS);

    const end = (how: DialogueEnd): void => {
      if (over) return;
      over = true;
      clearInterval(looking);
      call.signal.removeEventListener('abort', stop);
      if (how.type === 'accepted') connection.quit();
      // RST instead of FIN, because no client waits for the server any more.
      if (isGivenUp(how) && !socket.destroyed) socket.resetAndDestroy();
      // Drops the stream too, so nothing more of the mail can be written.
      connection.close();
      content.stream.destroy();
      resolve(how);
    };
    const fail = (error: MailError): void => {
      if (heldBack) return end({ type: 'held_back', failure: heldBack });
      const trouble = troubleOf(content.refusal() ?? error);
      end({ type: 'broken', trouble: { ...trouble, endReleased: content.isEnded() } });
    };
    const stop = (): void =>
      fail({ code: 'ABORTED', message: 'The call was canceled or timed out.' });
    const succeed = (info: SMTPConnectionSendInfo): void => {
      // A response before the end of the mail belongs to something else.
      if (!content.isEnded()) fail({ message: `The server responded too early: ${info.response}` });
      else end({ type: 'accepted', ...acceptance(info) });
    };

    connection.on('error', fail);
    // Some connection losses only emit 'end'; let a more specific error come first.
    connection.on('end', () => setImmediate(() => fail({ message: 'The connection was closed.' })));
    call.signal.addEventListener('abort', stop);
    if (call.signal.aborted) {
      stop();
      return;
    }
    connection.connect((connectError) => {
      if (connectError) return fail(connectError);
      connection.login({ user: call.server.user, pass: call.password }, (loginError) => {
        if (loginError) return fail(loginError);
        heldBack = call.maySend();
        if (heldBack) return end({ type: 'held_back', failure: heldBack });
        connection.send(envelope, content.stream, (sendError, info) => {
          if (sendError || !info) fail(sendError ?? { message: 'The server gave no response.' });
          else succeed(info);
        });
      });
    });
  });
}

function isGivenUp(end: DialogueEnd): boolean {
  return end.type === 'broken' && ['ABORTED', 'ETIMEDOUT'].includes(end.trouble.code ?? '');
}

function optionsOf(call: SmtpCall): ConstructorParameters<typeof SMTPConnection>[0] {
  const { secure, mustUpgrade, rejectUnauthorized } = call.protection;
  return {
    host: call.server.host,
    port: call.server.port,
    secure,
    requireTLS: mustUpgrade,
    tls: { rejectUnauthorized },
    // Doesn't reveal the machine's name.
    name: '[127.0.0.1]',
    connectionTimeout: CONNECT_TIMEOUT_MS + GREETING_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SMTP_SILENCE_MS,
    logger: false,
  };
}

/**
 * The mail as a stream, first read when the server accepts DATA. It flows only if every recipient
 * was accepted: a mail that reaches some recipients could be neither repeated nor marked as failed.
 */
function createContent(raw: Buffer, findRefusal: () => MailError | null) {
  let at = 0;
  let ended = false;
  let refusal: MailError | null = null;
  const stream = new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      refusal = at === 0 ? findRefusal() : null;
      if (refusal) {
        this.destroy(new Error('A recipient was refused.'));
      } else if (at < raw.length) {
        this.push(raw.subarray(at, at + CHUNK_BYTES));
        at += CHUNK_BYTES;
      } else {
        ended = true;
        this.push(null);
      }
    },
  });
  // nodemailer listens too, but not before sending or after closing.
  stream.on('error', () => {});
  return { stream, isEnded: () => ended, refusal: () => refusal };
}

function firstRefusal(envelope: Partial<SMTPConnectionEnvelope>): MailError | null {
  const refusals = envelope.rejectedErrors;
  if (!refusals)
    return { code: 'EINTERNAL', message: 'nodemailer did not report the refused recipients.' };
  return lastingFirst(refusals)[0] ?? null;
}

/** If one recipient is refused permanently, the whole mail is. */
function lastingFirst(refusals: readonly MailError[]): MailError[] {
  return refusals.toSorted((a, b) => (b.responseCode ?? 0) - (a.responseCode ?? 0));
}

function troubleOf(error: MailError & { rejectedErrors?: readonly MailError[] }): MailError {
  const { code, responseCode, response, command, recipient, message } =
    lastingFirst(error.rejectedErrors ?? [])[0] ?? error;
  return { code, responseCode, response, command, recipient, message };
}

function acceptance(info: SMTPConnectionSendInfo) {
  return {
    response: info.response,
    ...(info.serverMessageId === undefined ? {} : { serverMessageId: info.serverMessageId }),
  };
}
