// Reads processes from /proc.
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** In clock ticks since boot. */
  readonly started: string;
  /** True for zombies. */
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
  // The name in parentheses can contain anything, so the fields start after the last parenthesis.
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

/** A variable of the initial environment; '' when it is not set, null when it can't be read. */
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
