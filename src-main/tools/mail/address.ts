// Accepted mail addresses: one address, with or without a display name. Lists, groups, quotes and
// comments of RFC 5322 are refused, because each can reach recipients that the grant doesn't name.
import { z } from 'zod';

export interface Address {
  readonly name: string;
  readonly address: string;
}

const MAX_ADDRESS_LENGTH = 254;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const NAMED = /^([^<>"]*)<([^<>"\s]+)>$/;

/** Line separators and all other control characters. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;

export function isOneLine(text: string): boolean {
  return !CONTROL.test(text);
}

/** Header text. A newline would start another header. */
export const oneLine = z.string().refine(isOneLine, 'must be one line without control characters');

export const mailAddress = z
  .string()
  .max(500)
  .refine((text) => parseAddress(text) !== null, {
    error: 'must be one address, as ada@example.org or Ada <ada@example.org>, in ASCII',
    // Later checks of the whole mail parse the addresses.
    abort: true,
  });

/** Null unless it is exactly one address. */
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

/** Parses a text that `mailAddress` has validated. */
export function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (!address) throw new Error('The address was not validated.');
  return address;
}

/** `*` matches anything but @: `*@example.org`, `ada@*`. Case-insensitive. */
export function matchesPattern(address: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w@]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^@]*')}$`, 'i').test(address);
}
