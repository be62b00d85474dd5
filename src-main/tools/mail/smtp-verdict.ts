// The outcome of a mail that was not accepted, from where the SMTP dialogue ended. Pure.
//
//   refused (5xx)                            failed, at any point
//   temporarily refused (4xx)                not_sent
//   lost before the end of DATA              not_sent: the server must discard the mail
//   lost after the end of DATA               ambiguous
//   421 or a non-SMTP last response          ambiguous: it concerns the connection, not the mail
import type { ErrorType } from '#shared/machines/handler-run.ts';
import type { Scrub } from '#main/tools/mail/scrub.ts';
import type { MutationOutcome } from '#main/tools/tool.ts';

export interface SmtpTrouble {
  /** nodemailer's name for the kind of error. */
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly command?: string | undefined;
  readonly recipient?: string | undefined;
  readonly message: string;
  /** The end of the mail may have been written. */
  readonly endReleased: boolean;
}

type NotAccepted = Exclude<MutationOutcome, { type: 'applied' }>;

const AUTH_REPLIES = [530, 534, 535, 538];
const SERVICE_CLOSING = 421;

export function smtpVerdict(trouble: SmtpTrouble, host: string, scrub: Scrub): NotAccepted {
  const said = scrub(trouble.response ?? trouble.message);
  if (trouble.endReleased && !isAnswerToMail(trouble)) {
    return {
      type: 'ambiguous',
      error: `The connection to ${host} was lost after the whole mail was transferred and before the response (${said}). It may have been sent.`,
    };
  }
  const errorType = lastingError(trouble);
  if (errorType === null) {
    return {
      type: 'not_sent',
      errorType: 'network',
      error: `Could not deliver the mail to ${host} (${said}). Nothing was sent. Holdfast retries.`,
    };
  }
  const whom = trouble.recipient === undefined ? 'the mail' : trouble.recipient;
  return {
    type: 'failed',
    errorType,
    error: `${host} refused ${whom} (${said}). Nothing was sent to anyone. ${whatToDo(errorType)}`,
  };
}

function isAnswerToMail({ code, responseCode = 0 }: SmtpTrouble): boolean {
  return code === 'EMESSAGE' && isRefusal(responseCode) && responseCode !== SERVICE_CLOSING;
}

function isRefusal(responseCode: number): boolean {
  return responseCode >= 400 && responseCode < 600;
}

/** Null for temporary errors. */
function lastingError({ code, responseCode, response, command }: SmtpTrouble): ErrorType | null {
  if (responseCode === undefined || !isRefusal(responseCode)) return lastingWithoutReply(code);
  if (responseCode < 500) return null;
  if (code === 'EAUTH' || AUTH_REPLIES.includes(responseCode)) return 'auth';
  // 5.7.x is a policy refusal. Before any command it concerns the account or this address.
  const notAllowed = /^\d{3}[ -]5\.7\./.test(response ?? '') || command === 'CONN';
  return notAllowed ? 'permission' : 'logic';
}

function lastingWithoutReply(code: string | undefined): ErrorType | null {
  switch (code) {
    case 'EAUTH':
      return 'auth';
    case 'EENVELOPE':
    case 'EMESSAGE':
      return 'logic';
    case 'EINTERNAL':
      return 'internal';
    default:
      return null;
  }
}

function whatToDo(errorType: ErrorType): string {
  switch (errorType) {
    case 'auth':
      return 'Check the user name and the password of the account.';
    case 'permission':
      return 'Check what the account may send and to whom.';
    default:
      return 'Change the mail before sending it again.';
  }
}
