// archive/YYYY-MM.jsonl.gz: one row per line, by the month in which it ended. Each append is a gzip
// member of its own; concatenated members are a valid gzip file.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { syncFolder } from '#main/secrets/secret-file.ts';
import { wholeMembers } from '#main/upkeep/gzip-members.ts';
import { isJsonObject, type Json } from '#shared/json.ts';

export interface ArchivedRow {
  readonly kind: string;
  /** The stored columns as JSON. */
  readonly content: string;
}

export class ArchiveFiles {
  readonly folder: string;
  /** Files that end with a whole member. */
  readonly #whole = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Fsynced on return. After a crash, the same rows may be appended again as identical lines. */
  append(rows: readonly ArchivedRow[], now: number): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const months = Map.groupBy(rows, ({ content }) => monthOf(content, now));
    for (const [month, ofMonth] of months) {
      const lines = ofMonth.map(({ kind, content }) => `{"table":"${kind}","row":${content}}\n`);
      this.#appendMember(join(this.folder, `${month}.jsonl.gz`), gzipSync(lines.join('')));
    }
    syncFolder(this.folder);
  }

  #appendMember(path: string, member: Buffer): void {
    if (!this.#whole.has(path)) cutUnfinishedMember(path);
    this.#whole.delete(path);
    const file = openSync(path, 'a', 0o600);
    try {
      for (let at = 0; at < member.length; at += writeSync(file, member, at));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#whole.add(path);
  }
}

/**
 * A crash or a full disk can leave the last member unfinished, and no program reads past it. Its rows are
 * still staged in the database, because they are forgotten only after the fsync.
 */
function cutUnfinishedMember(path: string): void {
  if (!existsSync(path)) return;
  const whole = wholeMembers(readFileSync(path));
  const file = openSync(path, 'r+');
  try {
    if (whole !== null && whole < fstatSync(file).size) ftruncateSync(file, whole);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const YEAR_10000 = Date.UTC(10_000, 0);

function monthOf(content: string, now: number): string {
  const { facts, progress, outcome } = JSON.parse(content) as Record<string, string | undefined>;
  const parts = [progress, outcome, facts]
    .map((text) => JSON.parse(text ?? '{}') as Json)
    // A peer may have sent anything.
    .filter(isJsonObject);
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
  const isTime = at.getTime() >= 0 && at.getTime() < YEAR_10000;
  return (isTime ? at : new Date(now)).toISOString().slice(0, 7);
}
