// Turns what QuickJS reports into a failure that a person can act on.
import { MAX_STACK_CHARS } from '#main/sandbox/limits.ts';
import type { Failure } from '#main/sandbox/messages.ts';

/** Enough to find the place; a recursion would repeat itself for pages. */
const MAX_FRAMES = 20;

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly errorType?: string;
}

/** As QuickJS says it. */
export const OUT_OF_MEMORY: Thrown = { name: 'InternalError', message: 'out of memory', stack: '' };
export const STACK_OVERFLOW: Thrown = { ...OUT_OF_MEMORY, message: 'stack overflow' };

export function failureOf(thrown: Thrown, fileName: string, memoryBytes: number): Failure {
  const cause = limitOf(thrown, memoryBytes);
  const message =
    cause ?? (thrown.message || thrown.name || 'The code threw an error without a message.');
  return {
    cause: cause === undefined ? 'thrown' : 'limit',
    message,
    stack: stackOf(cause === undefined ? thrown.name : '', message, thrown.stack, fileName),
    ...(thrown.errorType === undefined ? {} : { errorType: thrown.errorType }),
  };
}

/** QuickJS says so by an error that code may also catch; only an uncaught one ends the phase. */
function limitOf({ name, message }: Thrown, memoryBytes: number): string | undefined {
  if (name !== 'InternalError') return undefined;
  if (message === 'out of memory') {
    return `The code used more than ${Math.floor(memoryBytes / 1024 / 1024)} MiB of memory.`;
  }
  if (message === 'string too long') return 'The code made a text that is too long.';
  if (message === 'stack overflow') return 'The code called itself too deeply (stack overflow).';
  return undefined;
}

/** Only frames of the person's own file: ours would mean nothing to them. */
export function stackOf(name: string, message: string, stack: string, fileName: string): string {
  const frames = stack
    .split('\n')
    .filter((line) => line.includes(`(${fileName}:`) || line.includes(`at ${fileName}:`))
    .slice(0, MAX_FRAMES)
    .map((line) => `    ${line.trim()}`);
  const head = name === '' || message === name ? message : `${name}: ${message}`;
  return [head, ...frames].join('\n').slice(0, MAX_STACK_CHARS);
}
