// Why a connection failed, in words. Never includes the query, which may contain secrets.
import { codeOf } from '#main/tools/egress/error-code.ts';
import { hostToGrant } from '#main/tools/http/hosts.ts';

const REASONS: { readonly [code: string]: (where: string) => string } = {
  ECONNREFUSED: (where) => `nothing answers at ${where}`,
  ENOTFOUND: (where) => `the name ${where} does not exist`,
  EAI_AGAIN: (where) => `the name ${where} could not be looked up; is this machine online?`,
  ECONNRESET: (where) => `${where} closed the connection`,
  EPIPE: (where) => `${where} closed the connection`,
  ETIMEDOUT: (where) => `${where} could not be reached in time`,
  CONNECT_TIMEOUT: (where) => `${where} could not be reached in time`,
  EHOSTUNREACH: (where) => `there is no route to ${where}`,
  ENETUNREACH: (where) => `there is no route to ${where}; is this machine online?`,
  CERT_HAS_EXPIRED: (where) => `the certificate of ${where} has expired`,
  ERR_TLS_CERT_ALTNAME_INVALID: (where) => `the certificate of ${where} is for another name`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (where) => `the certificate of ${where} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (where) => `the certificate of ${where} is not trusted`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (where) => `the certificate of ${where} is not trusted`,
};

export function explainNetworkError(error: Error, url: URL): string {
  const code = codeOf(error);
  const where = hostToGrant(url);
  if (code.startsWith('HPE_')) return `the response of ${where} is not HTTP (${code})`;
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (reason) return reason(where);
  const why = code === '' ? error.message : code;
  return `the connection to ${where} failed (${why || 'no reason given'})`;
}
