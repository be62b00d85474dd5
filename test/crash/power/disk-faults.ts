// Failing writes and fsyncs of the database of a real host process; disk-recorder.c makes them fail.
import { constants } from 'node:os';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';

/** The operations that fail, and with what; `struct fault` in disk-recorder.c. */
const FAULTS = {
  'disk full': { of: 1 | 4, error: constants.errno.ENOSPC, times: 12 },
  'write error': { of: 1, error: constants.errno.EIO, times: 3 },
  'fsync error': { of: 2, error: constants.errno.EIO, times: 2 },
} as const;
export type DiskFaultKind = keyof typeof FAULTS;
export const DISK_FAULTS = Object.keys(FAULTS) as readonly DiskFaultKind[];

const ONLY_DATABASE = 1;

/** The recorder maps the file when its process starts. */
export function createFaultControl(path: string): void {
  writeFileSync(path, Buffer.alloc(20));
}

export function armDiskFault(control: string, kind: DiskFaultKind): void {
  const { of, error, times } = FAULTS[kind];
  const file = openSync(control, 'r+');
  // Without a truncation, which would take the memory from the process that maps it.
  writeSync(
    file,
    new Uint8Array(new Int32Array([of, error, 0, times, ONLY_DATABASE]).buffer),
    0,
    20,
    0,
  );
  closeSync(file);
}
