// Builds disk-recorder.c with the system's compiler, and the environment that loads it into a process.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLinux, notRunIf } from '#test/support/not-run.ts';

const source = fileURLToPath(new URL('disk-recorder.c', import.meta.url));
const folder = fileURLToPath(new URL('../../../.cache/disk-recorder', import.meta.url));

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const canRecordDisk = isLinux && hasCompiler();
export const whyNoDisk = isLinux
  ? notRunIf(!canRecordDisk, 'there is no C compiler')
  : notRunIf(true, 'only on Linux');

export interface Recording {
  /** Absolute. Only files in it are recorded. */
  readonly folder: string;
  readonly log: string;
  readonly faults?: string;
}

export function recorderEnv({ folder: recorded, log, faults }: Recording): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: buildRecorder(),
    HOLDFAST_DISK_FOLDER: recorded,
    HOLDFAST_DISK_LOG: log,
    ...(faults !== undefined && { HOLDFAST_DISK_FAULT: faults }),
  };
}

/** Builds it again when the source is newer. */
function buildRecorder(): string {
  const library = join(folder, 'disk-recorder.so');
  const built = statSync(library, { throwIfNoEntry: false });
  if (built && built.mtimeMs > statSync(source).mtimeMs) return library;
  mkdirSync(folder, { recursive: true });
  const fresh = join(folder, `${process.pid}.so`);
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', fresh, source, '-ldl', '-lpthread']);
  renameSync(fresh, library);
  return library;
}
