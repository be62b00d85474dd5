// Decodes the bytes of a peer to changes and checks each against our schema before SQLite sees any:
// cr-sqlite trusts its input, and some malformed input crashes the process.
import { isUtf8 } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { ByteReader, malformed } from '#main/sync/changes/byte-reader.ts';
import { ROW_ITSELF, type Change, type ChangeSet, type Value } from '#main/sync/changes/change.ts';
import { checkValue } from '#main/sync/changes/check-value.ts';
import { PACKING, VALUE } from '#main/sync/changes/encode.ts';
import { checkPackedKey } from '#main/sync/changes/packed-key.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { SyncColumn, SyncSchema, SyncTable } from '#main/sync/changes/sync-schema.ts';
import {
  SYNC_MAX_CAUSAL_LENGTH,
  SYNC_MAX_COLUMN_VERSION,
  SYNC_MAX_FRAME_BYTES,
} from '#shared/limits.ts';

const SITE_BYTES = 16;

/** A validated change, with the id of its row in the change feed. */
export interface CheckedChange extends Change {
  readonly rowId: string | null;
  readonly schema: SyncTable;
  /** False if this version can't read the value. */
  readonly isReadable: boolean;
}

export interface CheckedChangeSet extends ChangeSet {
  readonly changes: readonly CheckedChange[];
}

/** Throws only `Refused`, for any bytes. */
export function decodeChangeSet(bytes: Uint8Array, schema: SyncSchema): CheckedChangeSet {
  const reader = new ByteReader(unpack(bytes));
  const after = reader.count();
  const upTo = reader.count();
  const part = reader.count();
  const last = reader.byte();
  if (upTo < after || last > 1) throw malformed('an invalid version range');
  const columns = readColumns(reader, schema);
  const sites = readSites(reader);
  const count = reader.countOf();
  const rows = new ByteReader(reader.sized());
  const texts = new TextReader(reader.sized());
  if (!reader.isAtEnd) throw malformed('bytes after the end');
  const changes = readChanges(count, rows, texts, columns, sites);
  if (!rows.isAtEnd || !texts.isAtEnd) throw malformed('unused bytes');
  return { after, upTo, part, isLast: last === 1, changes };
}

function unpack(bytes: Uint8Array): Buffer {
  if (bytes.length > SYNC_MAX_FRAME_BYTES) throw tooLarge();
  if (bytes.length === 0) throw malformed('no content');
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1);
  if (bytes[0] === PACKING.plain) return packed;
  if (bytes[0] !== PACKING.deflated) throw malformed('an unknown compression');
  try {
    return inflateRawSync(packed, { maxOutputLength: SYNC_MAX_FRAME_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw malformed('broken compression');
  }
}

function tooLarge(): Refused {
  return new Refused(
    'frame-too-large',
    `The other device sent a frame of more than ${SYNC_MAX_FRAME_BYTES} bytes.`,
  );
}

interface NamedColumn {
  readonly table: SyncTable;
  /** Null for the row itself. */
  readonly column: SyncColumn | null;
}

function readColumns(reader: ByteReader, schema: SyncSchema): NamedColumn[] {
  const tables = readList(reader, () => {
    const name = reader.sized().toString('utf8');
    const table = schema.tables.get(name);
    if (table) return table;
    throw new Refused(
      'unknown-table',
      `The other device sent a change of the table "${shown(name)}", which is not synced.`,
    );
  });
  return readList(reader, () => {
    const table = tables[reader.count()];
    if (!table) throw malformed('an undeclared table');
    const name = reader.sized().toString('utf8');
    if (name === ROW_ITSELF) return { table, column: null };
    const column = table.columns.get(name);
    if (column) return { table, column };
    throw new Refused(
      'unknown-column',
      `The other device sent a change of the column "${table.name}.${shown(name)}", which is not synced.`,
    );
  });
}

function readSites(reader: ByteReader): Buffer[] {
  return readList(reader, () => {
    const site = reader.sized();
    if (site.length === SITE_BYTES) return site;
    throw new Refused('bad-site', `The other device sent a site id of ${site.length} bytes.`);
  });
}

function readList<Item>(reader: ByteReader, readItem: () => Item): Item[] {
  const items: Item[] = [];
  for (let left = reader.countOf(); left > 0; left -= 1) items.push(readItem());
  return items;
}

function readChanges(
  count: number,
  rows: ByteReader,
  texts: TextReader,
  columns: readonly NamedColumn[],
  sites: readonly Buffer[],
): CheckedChange[] {
  const changes: CheckedChange[] = [];
  let row: {
    readonly key: Buffer;
    readonly rowId: string | null;
    readonly table: SyncTable;
  } | null = null;
  for (let index = 0; index < count; index += 1) {
    const head = rows.count();
    const named = columns[Math.floor(head / 2)];
    if (!named) throw malformed('an undeclared column');
    const { table, column } = named;
    if (head % 2 === 0) {
      const key = rows.sized();
      row = { key, rowId: checkPackedKey(key, table.name, table.key), table };
    }
    if (row?.table !== table) throw malformed('a change without a key');
    const site = sites[rows.count()];
    if (!site) throw malformed('an undeclared site');
    const columnVersion = rows.count();
    const causalLength = rows.count();
    const value = readValue(rows, texts);
    checkClock(table, column, columnVersion, causalLength);
    const isReadable = checkValue(table, column, value);
    changes.push({
      table: table.name,
      key: row.key,
      column: column?.name ?? ROW_ITSELF,
      value,
      columnVersion,
      causalLength,
      site,
      rowId: row.rowId,
      schema: table,
      isReadable,
    });
  }
  return changes;
}

function checkClock(
  table: SyncTable,
  column: SyncColumn | null,
  columnVersion: number,
  causalLength: number,
): void {
  const isInBounds =
    columnVersion <= SYNC_MAX_COLUMN_VERSION &&
    causalLength >= 1 &&
    causalLength <= SYNC_MAX_CAUSAL_LENGTH;
  // For the row itself, the write count equals the causal length, and only there it may be even.
  const fits = column === null ? columnVersion === causalLength : causalLength % 2 === 1;
  if (!isInBounds || !fits) {
    throw new Refused(
      'bad-clock',
      `The other device sent a change of "${table.name}" with impossible write counts (${columnVersion}, ${causalLength}).`,
    );
  }
  const isReinserted = table.isArchived && causalLength > 2;
  if ((table.isPermanent && causalLength !== 1) || isReinserted) {
    throw new Refused(
      'kept-row-deleted',
      `The other device deleted a row of "${table.name}", which is never deleted.`,
    );
  }
}

function readValue(rows: ByteReader, texts: TextReader): Value {
  const type = rows.byte();
  switch (type) {
    case VALUE.null:
      return null;
    case VALUE.integer:
      return rows.int64();
    case VALUE.real:
      return rows.float64();
    case VALUE.text:
      return texts.take(rows.count());
    case VALUE.blob:
      return rows.sized();
    default:
      throw malformed(`the unknown value type ${type}`);
  }
}

/** All texts of a frame, decoded at once and split by their lengths. */
class TextReader {
  readonly #text: string;
  #at = 0;

  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) throw malformed('texts that are not UTF-8');
    this.#text = bytes.toString('utf8');
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  take(length: number): string {
    const end = this.#at + length;
    if (end > this.#text.length) throw malformed('truncated texts');
    // Half a surrogate pair would become another character in SQLite.
    if (isLowSurrogate(this.#text.charCodeAt(end)))
      throw malformed('a text that splits a character');
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return text;
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Makes a name from a peer safe to show. */
function shown(name: string): string {
  return name.slice(0, 60).replaceAll(/[^\w.-]/g, '?');
}
