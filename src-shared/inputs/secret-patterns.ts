// Patterns of secrets in text and in field names. Every pattern starts at a word boundary or a fixed
// word and has no nested repetition, so matching is linear in the length of the text.
import { replaceCards } from '#shared/inputs/card-number.ts';

/** The placeholder for a secret; it contains no part of it. */
export function markerOf(why: string): string {
  return `•••(${why})`;
}

const MARKER = /^•••\([a-z-]{1,40}\)$/;
/** Placeholders contain words such as "password", which must not match again. */
const MARKERS = /•••\([a-z-]{1,40}\)/g;

export function isMarker(text: string): boolean {
  return MARKER.test(text);
}

interface Pattern {
  readonly why: string;
  /** The first group is preserved; the rest of the match is the secret. */
  readonly pattern: RegExp;
}

/** Not inside a longer word. */
const START = '(?<![A-Za-z0-9_-])';

const PATTERNS: readonly Pattern[] = [
  {
    why: 'private-key',
    pattern:
      /()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { why: 'jwt', pattern: rx('eyJ[\\w-]{5,}\\.[\\w-]{5,}\\.[\\w-]*') },
  { why: 'aws-key', pattern: rx('(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])') },
  { why: 'github-token', pattern: rx('(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{22,})') },
  { why: 'gitlab-token', pattern: rx('glpat-[\\w-]{20,}') },
  { why: 'slack-token', pattern: rx('xox[abceoprs]-[\\w-]{10,}') },
  { why: 'stripe-key', pattern: rx('(?:(?:sk|rk)_(?:live|test)_\\w{10,}|whsec_[\\w+/=]{16,})') },
  { why: 'google-key', pattern: rx('AIza[\\w-]{35}') },
  { why: 'npm-token', pattern: rx('npm_[A-Za-z0-9]{36}') },
  { why: 'api-key', pattern: rx('(?:sk-[\\w-]{20,}|SG\\.[\\w-]{16,}\\.[\\w-]{16,})') },
  {
    why: 'authorization',
    pattern:
      /(\bauthorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?:basic|digest|negotiate|token)\s{1,4})[\w+/=.~-]{4,}/gi,
  },
  {
    why: 'bearer-token',
    pattern: /(\bbearer\s{1,4})(?:(?=[A-Za-z._~+/=-]{0,200}\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})/gi,
  },
  {
    why: 'url-credentials',
    pattern: /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@"'<>\\]*:[^\s/@"'<>\\]+(?=@)/gi,
  },
  // A quoted value up to the closing quote; below, an unquoted value up to the end of the word.
  {
    why: 'assigned-secret',
    pattern:
      /((?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["'])(?!•••\()[^"'\\\n]{4,}/gi,
  },
  {
    why: 'assigned-secret',
    pattern:
      /((?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)(?!•••\()[^\s"'&,;<>\\]{4,}/gi,
  },
];

function rx(body: string): RegExp {
  return new RegExp(`()${START}${body}`, 'g');
}

/** Shorter texts cannot contain a secret with a known format. */
const SHORTEST_TEXT = 8;

/** Nested secrets need several rounds; text that needs more is removed completely. */
const MAX_ROUNDS = 8;

/**
 * Replaces secrets in the text and reports the kind of each to `found`. A replacement may expose the
 * start of another secret, so it repeats until nothing matches.
 */
export function redactText(text: string, found: (why: string) => void): string {
  if (text.length < SHORTEST_TEXT) return text;
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = redactOnce(before, found);
    if (after === before) return after;
    before = after;
  }
  found('entangled-secrets');
  return markerOf('entangled-secrets');
}

function redactOnce(text: string, found: (why: string) => void): string {
  let redacted = text;
  for (const { why, pattern } of PATTERNS) {
    redacted = redacted.replace(pattern, (_match, before: string) => {
      found(why);
      return before + markerOf(why);
    });
  }
  return replaceCards(redacted, markerOf('card-number'), () => found('card-number'));
}

/** Secret if a word of the name matches. */
const SECRET_WORDS = new Set(['password', 'passwd', 'passphrase', 'pwd', 'secret', 'credentials']);
/** Secret if the whole name matches. */
const SECRET_NAMES = new Set(['cvv', 'cvc', 'pin', 'otp', 'sessionid']);
/** Secret if the name ends so: `access_token`, `X-Api-Key`, but not `token_type`. */
const SECRET_END =
  /(?:password|passwd|passphrase|secret|token|apikey|privatekey|accesskey|secretkey|signingkey|authorization|cookie|credentials?)$/;

/** Whether a field with this name holds a secret of any format. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(MARKERS, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    // `password2` counts as `password`.
    .map((word) => word.replace(/\d+$/, ''));
  const whole = words.join('');
  return (
    SECRET_NAMES.has(whole) ||
    SECRET_END.test(whole) ||
    words.some((word) => SECRET_WORDS.has(word))
  );
}
