// Mail addresses as we take them: one address, with a name or without. Lists, groups, quotes and
// comments of RFC 5322 are refused: every one of them is a way to reach somebody whom the grant
// does not name, and no person types them.
import { z } from 'zod';

export interface Address {
  readonly name: string;
  readonly address: string;
}

const MAX_ADDRESS_LENGTH = 254;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const NAMED = /^([^<>"]*)<([^<>"\s]+)>$/;

/** Everything that ends a line somewhere, and all other control characters. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;

export function isOneLine(text: string): boolean {
  return !CONTROL.test(text);
}

/** Text of a header: a newline in it would begin another header. */
export const oneLine = z.string().refine(isOneLine, 'must be one line, without control characters');

export const mailAddress = z
  .string()
  .max(500)
  .refine((text) => parseAddress(text) !== null, {
    error: 'must be one address, as ada@example.org or Ada <ada@example.org>, in ASCII',
    // What looks at the mail as a whole reads its addresses.
    abort: true,
  });

/** Null where it is not exactly one address. */
export function parseAddress(text: string): Address | null {
  if (!isOneLine(text)) return null;
  const named = NAMED.exec(text.trim());
  const name = named?.[1]?.trim() ?? '';
  const address = named?.[2] ?? text.trim();
  const at = address.lastIndexOf('@');
  const valid =
    address.length <= MAX_ADDRESS_LENGTH &&
    LOCAL_PART.test(address.slice(0, Math.max(at, 0))) &&
    DOMAIN.test(address.slice(at + 1));
  return valid ? { name, address } : null;
}

/** Of a text that `mailAddress` has let through. */
export function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (!address) throw new Error('An address reached the mail tool without having been checked.');
  return address;
}

/** A `*` stands for anything but the @: `*@example.org`, `ada@*`. Case makes no difference. */
export function matchesPattern(address: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w@]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^@]*')}$`, 'i').test(address);
}
