// The host's log: one JSON object per line in `logs/host.log`, rotated by size. Log lines carry ids
// and errors, never payloads or secrets; a secret in an error is replaced by its name.
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Masker } from '#main/secrets/masker.ts';
import { pino, type DestinationStream, type Logger } from 'pino';

/** host.log and four rotated files. */
const MAX_FILES = 5;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

export const LOG_FILE = join('logs', 'host.log');

export function createLog(
  dataDir: string,
  masker: Pick<Masker, 'mask'>,
  maxFileBytes = MAX_FILE_BYTES,
): Logger {
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const file = rotatingFile(join(dataDir, LOG_FILE), maxFileBytes);
  const masked = { write: (line: string) => file.write(masker.mask(line)) };
  return pino({ base: { pid: process.pid } }, masked);
}

export function createSilentLog(): Logger {
  return pino({ level: 'silent' });
}

/** Writes synchronously, so the last lines before a crash are in the file. */
function rotatingFile(path: string, maxBytes: number): DestinationStream {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  return {
    write(line) {
      try {
        if (size > 0 && size + Buffer.byteLength(line) > maxBytes) {
          shiftFiles(path);
          // Opened before the old file is closed: a failure leaves `file` usable.
          const next = openSync(path, 'a', 0o600);
          closeSync(file);
          file = next;
          size = fstatSync(file).size;
        }
        size += writeSync(file, line);
      } catch {
        // A full disk must not stop the host; the line is lost.
      }
    },
  };
}

/** host.log → host.log.1 → … → host.log.4; the oldest is overwritten. */
function shiftFiles(path: string): void {
  const nth = (index: number): string => (index === 0 ? path : `${path}.${index}`);
  for (let index = MAX_FILES - 2; index >= 0; index -= 1) {
    try {
      renameSync(nth(index), nth(index + 1));
    } catch {
      // The file does not exist yet, or another program has it open (Windows).
    }
  }
}
