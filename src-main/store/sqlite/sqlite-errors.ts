// Classifies the errors that SQLite reports by their result code.
import SQLite from 'better-sqlite3';

/** The database itself rejected the write: a trigger or a CHECK failed. */
export function isRefused(error: unknown): error is Error {
  return hasCode(error, (code) => code.startsWith('SQLITE_CONSTRAINT'));
}

/** Another row has the same values: the rules of migration 0035. */
export function isNotUnique(error: unknown): boolean {
  return isRefused(error) && error.message.startsWith('not unique: ');
}

export function isDamaged(error: unknown): boolean {
  return hasCode(error, (code) => code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
}

/** The disk is full. The transaction was rolled back and succeeds again once there is space. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFull = hasCode(error, (code) => code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_WRITE');
  return isFull || isFileSystemFull(error) || isDiskFull(error.cause);
}

/** Also of files beside the database. */
function isFileSystemFull(error: Error): boolean {
  const { code } = error as Coded;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export function isFsyncFailure(error: unknown): boolean {
  return hasCode(error, (code) => code === 'SQLITE_IOERR_FSYNC');
}

export function isBusy(error: unknown): boolean {
  return hasCode(error, (code) => code.startsWith('SQLITE_BUSY'));
}

/** True if the disk or another program's lock caused the error, not the content of a row. */
export function isStorageProblem(error: unknown): boolean {
  const isIo = hasCode(error, (code) => code.startsWith('SQLITE_IOERR'));
  return isDiskFull(error) || isBusy(error) || isDamaged(error) || isIo || isFileError(error);
}

/** Of an fsync, or of a file beside the database. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && ['EIO', 'EROFS'].includes(String((error as Coded).code));
}

type Coded = NodeJS.ErrnoException;

function hasCode(error: unknown, matches: (code: string) => boolean): boolean {
  return error instanceof SQLite.SqliteError && matches(error.code);
}
