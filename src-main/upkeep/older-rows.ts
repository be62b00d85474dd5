// Rows of exports from earlier versions, whose tables had other keys.
import { z } from 'zod';
import type { ExportedRow } from '#main/upkeep/export-format.ts';
import { parseExactJson } from '#shared/exact-json.ts';

/** Since this version the key of a side effect includes the organization (migration 0038). */
const ORGANIZATION_IN_KEY = 38;

const factsSchema = z.object({ organization_id: z.string() });

/** `spaceId`: the organization of a row that was archived, which has no values left. */
export function fromOlderExport(
  table: string,
  row: ExportedRow,
  schemaVersion: number,
  spaceId: string,
): ExportedRow {
  if (table !== 'automation_side_effects' || schemaVersion >= ORGANIZATION_IN_KEY) return row;
  const { facts } = row.values;
  const written = factsSchema.safeParse(
    typeof facts === 'string' ? parseExactJson(facts) : undefined,
  );
  const part = packedText(written.data?.organization_id ?? spaceId);
  // The first byte is the number of parts.
  return { ...row, pk: `02${row.pk.slice(2)}${part}` };
}

/** As cr-sqlite packs a text: its type with the size of its length, its length, its bytes; in hex. */
function packedText(text: string): string {
  const bytes = Buffer.from(text);
  const length = bytes.length === 0 ? '' : bytes.length.toString(16);
  const even = length.length % 2 === 0 ? length : `0${length}`;
  const head = (even.length / 2) * 8 + 3;
  return `${head.toString(16).padStart(2, '0')}${even}${bytes.toString('hex')}`;
}
