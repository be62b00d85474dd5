// Encodes changes to bytes. Tables, columns and sites are declared once; a key is omitted when it
// repeats; all texts are at the end, so that they are encoded and decoded at once; the whole is
// deflated. Values keep their storage type, because it decides ties between devices.
import { deflateRawSync } from 'node:zlib';
import { ByteWriter } from '#main/sync/changes/byte-writer.ts';
import type { Change, ChangeSet, Value } from '#main/sync/changes/change.ts';

export const VALUE = { null: 0, integer: 1, real: 2, text: 3, blob: 4 } as const;

/** The first byte: how the rest is compressed. */
export const PACKING = { plain: 0, deflated: 1 } as const;

/** Smaller frames are not compressed. */
const DEFLATE_FROM_BYTES = 256;

/** Level 1 saves three quarters of what level 6 saves, in a third of its time. */
const DEFLATE_LEVEL = 1;

export function encodeChangeSet(set: ChangeSet): Buffer {
  const dictionary = new Dictionary();
  const rows = new ByteWriter();
  const texts: string[] = [];
  let key: Uint8Array | undefined;
  let table = '';
  for (const change of set.changes) {
    const isSameRow = key !== undefined && table === change.table && sameBytes(key, change.key);
    rows.count(dictionary.column(change) * 2 + (isSameRow ? 1 : 0));
    if (!isSameRow) rows.sized(change.key);
    key = change.key;
    table = change.table;
    rows.count(dictionary.site(change.site));
    rows.count(change.columnVersion);
    rows.count(change.causalLength);
    writeValue(rows, change.value, texts);
  }
  const plain = new ByteWriter();
  plain.count(set.after);
  plain.count(set.upTo);
  plain.count(set.part);
  plain.byte(set.isLast ? 1 : 0);
  dictionary.write(plain);
  plain.count(set.changes.length);
  plain.sized(rows.view());
  plain.sized(Buffer.from(texts.join(''), 'utf8'));
  return pack(plain.view());
}

function pack(plain: Buffer): Buffer {
  if (plain.length < DEFLATE_FROM_BYTES) return Buffer.concat([Buffer.of(PACKING.plain), plain]);
  const deflated = deflateRawSync(plain, { level: DEFLATE_LEVEL });
  return Buffer.concat([Buffer.of(PACKING.deflated), deflated]);
}

function writeValue(writer: ByteWriter, value: Value, texts: string[]): void {
  if (value === null) writer.byte(VALUE.null);
  else if (typeof value === 'string') {
    writer.byte(VALUE.text);
    writer.count(value.length);
    texts.push(value);
  } else if (typeof value === 'bigint') {
    writer.byte(VALUE.integer);
    writer.int64(value);
  } else if (typeof value === 'number') {
    writer.byte(VALUE.real);
    writer.float64(value);
  } else {
    writer.byte(VALUE.blob);
    writer.sized(value);
  }
}

/** Declares names in the order of their first use. */
class Dictionary {
  readonly #tables = new Map<string, { index: number; columns: Map<string, number> }>();
  readonly #columns: { table: number; name: string }[] = [];
  readonly #sites = new Map<string, number>();
  #lastSite: Uint8Array | undefined;
  #lastSiteIndex = 0;

  column({ table, column }: Change): number {
    let known = this.#tables.get(table);
    if (!known) {
      known = { index: this.#tables.size, columns: new Map() };
      this.#tables.set(table, known);
    }
    let index = known.columns.get(column);
    if (index === undefined) {
      index = this.#columns.push({ table: known.index, name: column }) - 1;
      known.columns.set(column, index);
    }
    return index;
  }

  site(site: Uint8Array): number {
    if (this.#lastSite && sameBytes(this.#lastSite, site)) return this.#lastSiteIndex;
    const name = Buffer.from(site).toString('latin1');
    const index = this.#sites.get(name) ?? this.#sites.size;
    this.#sites.set(name, index);
    this.#lastSite = site;
    this.#lastSiteIndex = index;
    return index;
  }

  write(writer: ByteWriter): void {
    writer.count(this.#tables.size);
    for (const table of this.#tables.keys()) writer.sized(Buffer.from(table, 'utf8'));
    writer.count(this.#columns.length);
    for (const { table, name } of this.#columns) {
      writer.count(table);
      writer.sized(Buffer.from(name, 'utf8'));
    }
    writer.count(this.#sites.size);
    for (const site of this.#sites.keys()) writer.sized(Buffer.from(site, 'latin1'));
  }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one === other || Buffer.compare(one, other) === 0;
}
