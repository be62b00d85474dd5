// Turns errors of QuickJS into failures that an author can act on.
import { MAX_STACK_CHARS } from '#main/sandbox/limits.ts';
import type { Failure } from '#main/sandbox/messages.ts';

/** Enough to find the position. */
const MAX_FRAMES = 20;

/** The author's file, with types stripped. */
export interface SourceFile {
  readonly fileName: string;
  readonly code: string;
}

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly errorType?: string;
}

/** The errors that QuickJS throws. */
export const OUT_OF_MEMORY: Thrown = { name: 'InternalError', message: 'out of memory', stack: '' };
export const STACK_OVERFLOW: Thrown = {
  name: 'RangeError',
  message: 'Maximum call stack size exceeded',
  stack: '',
};

export function failureOf(thrown: Thrown, file: SourceFile, memoryBytes: number): Failure {
  const cause = limitOf(thrown, memoryBytes);
  const message =
    cause ?? (thrown.message || thrown.name || 'The code threw an error without a message.');
  return {
    cause: cause === undefined ? 'thrown' : 'limit',
    message,
    stack: stackOf(cause === undefined ? thrown.name : '', message, thrown.stack, file),
    ...(thrown.errorType === undefined ? {} : { errorType: thrown.errorType }),
  };
}

/** User code can catch these errors; only an uncaught one ends the phase. */
function limitOf({ name, message }: Thrown, memoryBytes: number): string | undefined {
  if (name === STACK_OVERFLOW.name && message === STACK_OVERFLOW.message) {
    return 'The code called itself too deeply (stack overflow).';
  }
  if (name !== OUT_OF_MEMORY.name) return undefined;
  if (message === OUT_OF_MEMORY.message) {
    return `The code used more than ${Math.floor(memoryBytes / 1024 / 1024)} MiB of memory.`;
  }
  if (message === 'string too long') return 'The code created a string that is too long.';
  return undefined;
}

/** Only frames of the author's file: frames of the realm would mean nothing to them. */
export function stackOf(name: string, message: string, stack: string, file: SourceFile): string {
  const { fileName } = file;
  const lines = stack
    .split('\n')
    .filter((line) => line.includes(`(${fileName}:`) || line.includes(`at ${fileName}:`));
  // A recursion repeats the same frames: each is shown once.
  const frames = [...new Set(lines)]
    .slice(0, MAX_FRAMES)
    .map((line) => `    ${withColumnOfText(line.trim(), file)}`);
  const head = name === '' || message === name ? message : `${name}: ${message}`;
  return [head, ...frames].join('\n').slice(0, MAX_STACK_CHARS);
}

/** QuickJS counts columns in UTF-8 bytes; editors count UTF-16 units. */
function withColumnOfText(frame: string, { fileName, code }: SourceFile): string {
  const at = frame.lastIndexOf(`${fileName}:`) + fileName.length + 1;
  return (
    frame.slice(0, at) +
    frame.slice(at).replace(/^(\d+):(\d+)/, (_all, line: string, column: string) => {
      const before = Buffer.from(code.split(/\r\n|[\n\r]/)[Number(line) - 1] ?? '');
      if (before.length < Number(column)) return `${line}:${column}`;
      return `${line}:${before.subarray(0, Number(column) - 1).toString().length + 1}`;
    })
  );
}
