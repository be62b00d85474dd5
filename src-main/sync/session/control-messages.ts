// Control messages of a session: small JSON messages beside the frames of changes. The first byte of a
// frame distinguishes the two.
import { z } from 'zod';
import { Refused } from '#main/sync/changes/refused.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { SHA256 } from '#shared/inputs/artifacts.ts';
import { MAX_ID_LENGTH, SYNC_MAX_LINEAGES, SYNC_MAX_CONTROL_BYTES } from '#shared/limits.ts';

/**
 * Increased when the format of messages and change sets changes, or what synced values mean. A change
 * of the synced tables and columns needs no increase: the fingerprint of the schema shows it.
 */
export const PROTOCOL_VERSION = 3;

export const FRAME = { control: 1, changes: 2, artifact: 3 } as const;

/** The kind of the frame and the number of the request, before the content of an artifact. */
const ARTIFACT_HEAD_BYTES = 5;
const MAX_REQUEST_NUMBER = 2 ** 32 - 1;

const id = z.string().min(1).max(MAX_ID_LENGTH);
const version = z.int().min(0);
const requestNumber = z.int().min(1).max(MAX_REQUEST_NUMBER);

const helloSchema = z.object({
  type: z.literal('hello'),
  protocol: version,
  schema: version,
  fingerprint: z.string().regex(SHA256),
  device: id,
  space: id,
  site: z.string().regex(/^[0-9a-f]{32}$/),
  /** Newest first. */
  lineages: z
    .array(z.object({ id, end: version }))
    .min(1)
    .max(SYNC_MAX_LINEAGES),
  now: version,
});
export type Hello = z.infer<typeof helloSchema>;

const controlSchema = z.discriminatedUnion('type', [
  helloSchema,
  /**
   * Requests the receiver's changes after this version. `had`: the sender had later changes than the
   * receiver still has, up to this version of this lineage, and sends them back.
   */
  z.strictObject({
    type: z.literal('want'),
    after: version,
    had: z.strictObject({ lineage: id, version }).nullable(),
  }),
  /** Announces the number of changes to come. */
  z.strictObject({ type: z.literal('begin'), total: version }),
  /** The receiver has everything the sender had at that moment. */
  z.strictObject({ type: z.literal('caught-up') }),
  /** Confirms one frame: everything up to this version is merged. */
  z.strictObject({ type: z.literal('ack'), version }),
  /** Requests the content of an artifact of an automation run. */
  z.strictObject({
    type: z.literal('artifact-want'),
    id: requestNumber,
    run: id,
    sha256: z.string().regex(SHA256),
  }),
  /** The sender has no such artifact. */
  z.strictObject({ type: z.literal('artifact-none'), id: requestNumber }),
]);
export type ControlMessage = z.infer<typeof controlSchema>;

/** The fields that a hello has in every protocol version. */
const anyHelloSchema = z.object({ type: z.literal('hello'), protocol: version });

export type ReceivedControl =
  | ControlMessage
  | { readonly type: 'foreign-hello'; readonly protocol: number };

export function encodeControl(message: ControlMessage): Uint8Array {
  return Buffer.concat([Buffer.of(FRAME.control), Buffer.from(JSON.stringify(message), 'utf8')]);
}

export function encodeChanges(changes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(FRAME.changes), changes]);
}

export function encodeArtifact(request: number, content: Uint8Array): Uint8Array {
  const head = Buffer.alloc(ARTIFACT_HEAD_BYTES);
  head.writeUInt8(FRAME.artifact);
  head.writeUInt32BE(request, 1);
  return Buffer.concat([head, content]);
}

/** Throws `Refused`. */
export function readArtifactFrame(frame: Uint8Array): {
  readonly id: number;
  readonly content: Uint8Array;
} {
  if (frame.length < ARTIFACT_HEAD_BYTES) throw unreadable();
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
  return { id: bytes.readUInt32BE(1), content: frame.subarray(ARTIFACT_HEAD_BYTES) };
}

/** Throws `Refused`. */
export function decodeControl(frame: Uint8Array): ReceivedControl {
  if (frame.length > SYNC_MAX_CONTROL_BYTES) throw unreadable();
  const json = parseJson(Buffer.from(frame).toString('utf8', 1));
  const hello = anyHelloSchema.safeParse(json);
  if (hello.success && hello.data.protocol !== PROTOCOL_VERSION) {
    return { type: 'foreign-hello', protocol: hello.data.protocol };
  }
  const message = controlSchema.safeParse(json);
  if (message.success) return message.data;
  throw unreadable();
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): Refused {
  return new Refused('malformed-frame', 'The other device sent an unreadable control message.');
}
