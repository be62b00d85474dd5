// A file of changes: length-prefixed sealed pieces. The first piece is the head, the others are frames
// as on a link. Written under a temporary name and renamed; read piece by piece.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Seal } from '#main/sync/folder/seal.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { SHA256 } from '#shared/inputs/artifacts.ts';
import { MAX_ID_LENGTH, SYNC_MAX_LINEAGES, SYNC_MAX_FRAME_BYTES } from '#shared/limits.ts';

const LENGTH_BYTES = 4;
const ID_BYTES = 16;
const SEALING_BYTES = 1024;
export const UNFINISHED = '.unfinished-';

const id = z.string().min(1).max(MAX_ID_LENGTH);
const version = z.int().min(0);
const headSchema = z.object({
  device: id,
  space: id,
  protocol: version,
  schema: version,
  /** Files of earlier versions have none. */
  fingerprint: z.string().regex(SHA256).or(z.literal('')).default(''),
  lineages: z
    .array(z.object({ id, end: version }))
    .min(1)
    .max(SYNC_MAX_LINEAGES),
});
export type FileHead = z.infer<typeof headSchema>;

export interface FileName {
  readonly after: number;
  readonly upTo: number;
  /** The lineage that the versions belong to. */
  readonly lineage: string;
}

const NAME = /^(\d{16})-(\d{16})-([0-9A-Za-z]{1,64})\.changes$/;

export function parseFileName(name: string): FileName | null {
  const [, after, upTo, lineage] = NAME.exec(name) ?? [];
  if (after === undefined || upTo === undefined || lineage === undefined) return null;
  return { after: Number(after), upTo: Number(upTo), lineage };
}

function toFileName({ after, upTo, lineage }: FileName): string {
  const padded = (value: number): string => String(value).padStart(16, '0');
  return `${padded(after)}-${padded(upTo)}-${lineage}.changes`;
}

const placeOf = (device: string, file: Buffer, index: number): string =>
  `changes ${device} ${file.toString('hex')} ${index}`;

export class ChangeFileWriter {
  readonly #seal: Seal;
  readonly #head: FileHead;
  readonly #folder: string;
  readonly #path: string;
  readonly #file: number;
  readonly #id = randomBytes(ID_BYTES);
  #pieces = 0;
  #size = 0;

  constructor(seal: Seal, folder: string, head: FileHead) {
    this.#seal = seal;
    this.#head = head;
    this.#folder = folder;
    this.#path = join(folder, `${UNFINISHED}${this.#id.toString('hex')}`);
    this.#file = openSync(this.#path, 'wx', 0o600);
    this.#write(this.#id);
    this.piece(Buffer.from(JSON.stringify(head), 'utf8'));
  }

  get size(): number {
    return this.#size;
  }

  piece(plain: Uint8Array): void {
    const place = placeOf(this.#head.device, this.#id, this.#pieces);
    const sealed = this.#seal.close(plain, place);
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32BE(sealed.length);
    this.#write(length);
    this.#write(sealed);
    this.#pieces += 1;
  }

  /** Renames the file, which makes it visible to other devices. */
  finish(after: number, upTo: number): string {
    fsyncSync(this.#file);
    closeSync(this.#file);
    const lineage = this.#head.lineages[0]?.id ?? '';
    const name = toFileName({ after, upTo, lineage });
    renameSync(this.#path, join(this.#folder, name));
    return name;
  }

  discard(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #write(bytes: Uint8Array): void {
    writeSync(this.#file, bytes);
    this.#size += bytes.length;
  }
}

/** Reads the head, then the frames. Returns null at the end or at the first invalid piece. */
export class ChangeFileReader {
  readonly #seal: Seal;
  readonly #device: string;
  readonly #file: number;
  #id: Buffer | null;
  #pieces = 0;

  constructor(seal: Seal, path: string, device: string) {
    this.#seal = seal;
    this.#device = device;
    this.#file = openSync(path, 'r');
    this.#id = this.#read(ID_BYTES);
  }

  /** Null when it is incomplete or not from this space and device. */
  head(): FileHead | null {
    const piece = this.#piece();
    if (!piece) return null;
    const head = headSchema.safeParse(parseExactJson(piece.toString('utf8')));
    return head.success && head.data.device === this.#device ? head.data : null;
  }

  frame(): Buffer | null {
    return this.#piece();
  }

  close(): void {
    closeSync(this.#file);
  }

  #piece(): Buffer | null {
    if (!this.#id) return null;
    const length = this.#read(LENGTH_BYTES)?.readUInt32BE(0);
    if (length === undefined || length > SYNC_MAX_FRAME_BYTES + SEALING_BYTES) return null;
    const sealed = this.#read(length);
    if (!sealed) return null;
    const plain = this.#seal.open(sealed, placeOf(this.#device, this.#id, this.#pieces));
    this.#pieces += 1;
    return plain;
  }

  #read(length: number): Buffer | null {
    const bytes = Buffer.allocUnsafe(length);
    return readSync(this.#file, bytes, 0, length, null) === length ? bytes : null;
  }
}
