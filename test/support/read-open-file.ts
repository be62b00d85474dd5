// Reads a file of a database that this process has open. A child process reads it: when a process
// closes a file, POSIX drops every lock that it holds on that file, SQLite's included. Another process
// would then take the -shm file for abandoned and truncate it under our mapping (SIGBUS).
import { execFileSync } from 'node:child_process';

const MAX_BYTES = 256 * 1024 * 1024;

export function readOpenFile(path: string): Buffer {
  return execFileSync('cat', ['--', path], { maxBuffer: MAX_BYTES });
}
