// Reads what disk-recorder.c wrote. Operations are in the order in which the files were changed.
import { readFileSync, writeSync } from 'node:fs';

export type DiskOperation = { readonly time: bigint } & (
  | {
      readonly kind: 'open';
      readonly file: number;
      readonly path: string;
      readonly created: boolean;
      readonly truncated: boolean;
    }
  | {
      readonly kind: 'write';
      readonly file: number;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'truncate'; readonly file: number; readonly size: number }
  | { readonly kind: 'sync'; readonly file: number; readonly sync: number }
  | { readonly kind: 'synced'; readonly sync: number; readonly failed: boolean }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'mkdir'; readonly path: string }
  /** Written by the host: it is at this point now. */
  | { readonly kind: 'mark'; readonly name: string }
);

const HEADER = 32;
const KINDS = [
  '',
  'open',
  'write',
  'truncate',
  'sync',
  'synced',
  'rename',
  'unlink',
  'link',
  'mkdir',
  'mark',
] as const;

export function readDiskLog(path: string): DiskOperation[] {
  const log = readFileSync(path);
  const operations: DiskOperation[] = [];
  for (let at = 0; at + HEADER <= log.length;) {
    const length = log.readUInt32LE(at + 24);
    // The process was killed during its last write.
    if (at + HEADER + length > log.length) break;
    operations.push(operationAt(log, at, log.subarray(at + HEADER, at + HEADER + length)));
    at += HEADER + length;
  }
  return operations;
}

function operationAt(log: Buffer, at: number, payload: Buffer): DiskOperation {
  const kind = KINDS[log.readUInt32LE(at)];
  const file = log.readUInt32LE(at + 4);
  const time = log.readBigUInt64LE(at + 8);
  const offset = Number(log.readBigInt64LE(at + 16));
  const flags = log.readUInt32LE(at + 28);
  const [path = '', to = ''] = kind === 'write' ? [] : payload.toString().split('\0');
  switch (kind) {
    case 'open':
      return { kind, time, file, path, created: (flags & 1) !== 0, truncated: (flags & 2) !== 0 };
    case 'write':
      return { kind, time, file, offset, bytes: payload };
    case 'truncate':
      return { kind, time, file, size: offset };
    case 'sync':
      return { kind, time, file, sync: flags };
    case 'synced':
      return { kind, time, sync: flags, failed: offset !== 0 };
    case 'rename':
    case 'link':
      return { kind, time, path, to };
    case 'unlink':
    case 'mkdir':
      return { kind, time, path };
    case 'mark':
      return { kind, time, name: path };
    default:
      throw new Error(`The log of the disk is broken at byte ${at}.`);
  }
}

/** Appends a mark to the log of the process that is running. `log`: opened for appending. */
export function markDiskLog(log: number, name: string): void {
  const payload = Buffer.from(name);
  const header = Buffer.alloc(HEADER);
  header.writeUInt32LE(KINDS.indexOf('mark'), 0);
  header.writeBigUInt64LE(process.hrtime.bigint(), 8);
  header.writeUInt32LE(payload.length, 24);
  writeSync(log, Buffer.concat([header, payload]));
}
