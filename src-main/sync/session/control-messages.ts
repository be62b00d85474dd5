// What devices tell each other beside changes: small, in JSON, checked like everything that comes
// from outside. The first byte of a frame says which of the two it is.
import { z } from 'zod';
import { Refused } from '#main/sync/changes/refused.ts';
import { MAX_ID_LENGTH, SYNC_MAX_LINEAGES, SYNC_MAX_NOTE_BYTES } from '#shared/limits.ts';

/** Raised when devices of two versions would misunderstand each other. */
export const PROTOCOL_VERSION = 1;

export const FRAME = { note: 1, changes: 2 } as const;

const id = z.string().min(1).max(MAX_ID_LENGTH);
const version = z.int().min(0);

const helloSchema = z.object({
  type: z.literal('hello'),
  protocol: version,
  schema: version,
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

const noteSchema = z.discriminatedUnion('type', [
  helloSchema,
  /** Send me what you have after this version of yours. */
  z.strictObject({ type: z.literal('want'), after: version }),
  /** I begin; so many changes are to come. */
  z.strictObject({ type: z.literal('begin'), total: version }),
  /** You have had everything that I had when I looked last. */
  z.strictObject({ type: z.literal('caught-up') }),
  /** One frame of changes was taken; everything up to this version of yours is here. */
  z.strictObject({ type: z.literal('ack'), version }),
]);
export type Note = z.infer<typeof noteSchema>;

/** Of a hello of whatever version: all that is certain to be there. */
const anyHelloSchema = z.object({ type: z.literal('hello'), protocol: version });

export type ReadNote = Note | { readonly type: 'foreign-hello'; readonly protocol: number };

export function encodeNote(note: Note): Uint8Array {
  return Buffer.concat([Buffer.of(FRAME.note), Buffer.from(JSON.stringify(note), 'utf8')]);
}

export function encodeChanges(changes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(FRAME.changes), changes]);
}

/** Throws `Refused`. */
export function decodeNote(frame: Uint8Array): ReadNote {
  if (frame.length > SYNC_MAX_NOTE_BYTES) throw unreadable();
  const json = parseJson(Buffer.from(frame).toString('utf8', 1));
  const hello = anyHelloSchema.safeParse(json);
  if (hello.success && hello.data.protocol !== PROTOCOL_VERSION) {
    return { type: 'foreign-hello', protocol: hello.data.protocol };
  }
  const note = noteSchema.safeParse(json);
  if (note.success) return note.data;
  throw unreadable();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): Refused {
  return new Refused('malformed-frame', 'The other device said something that cannot be read.');
}
