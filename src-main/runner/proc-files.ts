// What /proc says of a process, read at once and never trusted for long.
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** In ticks since the machine started. */
  readonly started: string;
  /** A zombie is dead; only its parent does not know yet. */
  readonly isDead: boolean;
}

export function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export function statOf(pid: number): ProcessStat | null {
  const text = readProc(pid, 'stat');
  if (text === null) return null;
  // The name, in brackets, may hold anything; the fields after its last bracket may not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    started: fields[19] ?? '',
    isDead: state === 'Z' || state === 'X',
  };
}

/** The value of a variable in the environment that it was started with; null where it is not told. */
export function environmentOf(pid: number, name: string): string | null {
  const text = readProc(pid, 'environ');
  if (text === null || text === '') return null;
  const mark = `${name}=`;
  const entry = text.split('\0').find((one) => one.startsWith(mark));
  return entry?.slice(mark.length) ?? '';
}

export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}
