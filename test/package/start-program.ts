// Starts a program and kills it when the test ends.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { onTestFinished } from 'vitest';

export function startProgram(
  program: string,
  args: readonly string[],
  cwd: string,
): ChildProcessWithoutNullStreams {
  const child = spawn(program, args, { cwd });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}
