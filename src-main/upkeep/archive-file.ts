// archive/YYYY-MM.jsonl.gz: one row per line, by the month in which it ended. Each append is a gzip
// member of its own; concatenated members are a valid gzip file.
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { syncFolder } from '#main/secrets/secret-file.ts';

export interface ArchivedRow {
  readonly kind: string;
  /** The stored columns as JSON. */
  readonly content: string;
}

/** Fsynced on return. After a crash, the same rows may be appended again as identical lines. */
export function appendToArchive(folder: string, rows: readonly ArchivedRow[], now: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const months = Map.groupBy(rows, ({ content }) => monthOf(content, now));
  for (const [month, ofMonth] of months) {
    const lines = ofMonth.map(({ kind, content }) => `{"table":"${kind}","row":${content}}\n`);
    const file = openSync(join(folder, `${month}.jsonl.gz`), 'a', 0o600);
    try {
      writeSync(file, gzipSync(lines.join('')));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
  syncFolder(folder);
}

function monthOf(content: string, now: number): string {
  const { facts, progress, outcome } = JSON.parse(content) as Record<string, string | undefined>;
  const parts = [progress, outcome, facts].map(
    (text) => JSON.parse(text ?? '{}') as Record<string, unknown>,
  );
  const times = parts.flatMap((part) =>
    [
      part['end_timestamp'],
      part['ended_at'],
      part['completed_at'],
      part['updated_at'],
      part['at'],
      part['persisted_at'],
      part['created_at'],
    ].flatMap((time) => (typeof time === 'string' || typeof time === 'number' ? [time] : [])),
  );
  const at = new Date(times[0] ?? now);
  return (Number.isNaN(at.getTime()) ? new Date(now) : at).toISOString().slice(0, 7);
}
