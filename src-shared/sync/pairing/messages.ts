// The messages of pairing, one JSON text per frame. They come from an untrusted device, so anything
// that does not match the schema is refused.
import { z } from 'zod';
import { parseExactJson } from '#shared/exact-json.ts';
import {
  MAX_ADDRESS_LENGTH,
  MAX_ID_LENGTH,
  MAX_NAME_LENGTH,
  MAX_PEER_ADDRESSES,
} from '#shared/limits.ts';

export const PAIRING_VERSION = 1;
export const OLDEST_PAIRING_VERSION = 1;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const name = z.string().trim().min(1).max(MAX_NAME_LENGTH);
const addresses = z.array(z.string().max(MAX_ADDRESS_LENGTH)).max(MAX_PEER_ADDRESSES);
const spaceId = z.string().min(1).max(MAX_ID_LENGTH);

/** The only fields that are read of an unknown version. */
const versionsSchema = z.looseObject({
  type: z.literal('hello'),
  version: z.int().min(1),
  oldest: z.int().min(1),
});

const messageSchema = z.discriminatedUnion('type', [
  /** The first message, from the joiner. */
  z.object({
    type: z.literal('hello'),
    version: z.int().min(1),
    oldest: z.int().min(1),
    now: z.int().min(0),
    name,
    addresses,
    space: z.object({ id: spaceId, shared: z.boolean() }),
    join: z.discriminatedUnion('by', [
      z.object({
        by: z.literal('link'),
        invitation: z.string().regex(/^[0-9a-f]{32}$/),
        proof: hash,
      }),
      z.object({ by: z.literal('comparison'), commitment: hash }),
    ]),
  }),
  /** The inviter commits to its nonce before it knows the joiner's. */
  z.object({ type: z.literal('commitment'), name, commitment: hash }),
  z.object({ type: z.literal('reveal'), nonce: hash }),
  /** The person at the sender confirmed the digits. */
  z.object({ type: z.literal('confirm') }),
  /** The inviter has paired. Sent only to a proven key, because it contains the space key. */
  z.object({ type: z.literal('welcome'), name, addresses, spaceId, spaceKey: hash }),
  z.object({ type: z.literal('refuse'), reason: z.string().max(40) }),
]);

export type PairingMessage = z.infer<typeof messageSchema>;
export type Hello = Extract<PairingMessage, { type: 'hello' }>;
export type Welcome = Extract<PairingMessage, { type: 'welcome' }>;

export function encodeMessage(message: PairingMessage): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

export function decodeMessage(content: Uint8Array): PairingMessage | 'garbled' | 'version-too-old' {
  let parsed: unknown;
  try {
    parsed = parseExactJson(new TextDecoder('utf8', { fatal: true }).decode(content));
  } catch {
    return 'garbled';
  }
  const versions = versionsSchema.safeParse(parsed);
  if (versions.success) {
    const { version, oldest } = versions.data;
    if (version < OLDEST_PAIRING_VERSION || oldest > PAIRING_VERSION) return 'version-too-old';
  }
  const message = messageSchema.safeParse(parsed);
  return message.success ? message.data : 'garbled';
}
