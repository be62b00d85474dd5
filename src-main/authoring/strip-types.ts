// Takes the types out of a TypeScript file and leaves blanks in their place, so that every line
// and column stays what it was.
import { transformSync } from 'amaro';

export interface Problem {
  readonly message: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

export class SyntaxProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, cause: unknown) {
    super(problem.message, { cause });
    this.problem = problem;
  }
}

/** JavaScript; throws `SyntaxProblem`. */
export function stripTypes(source: string): string {
  try {
    return transformSync(source, { mode: 'strip-only' }).code;
  } catch (error) {
    throw new SyntaxProblem(problemOf(error), error);
  }
}

/** As amaro reports it; columns count from 0 there. */
interface StripError {
  readonly code: string;
  readonly message: string;
  readonly startLine: number;
  readonly startColumn: number;
}

function problemOf(error: unknown): Problem {
  if (!isStripError(error)) {
    return { message: 'This file cannot be read as TypeScript.', line: 1, column: 1 };
  }
  const { code, message, startLine, startColumn } = error;
  const text =
    code === 'UnsupportedSyntax'
      ? `${message.replace(' in strip-only mode', ' here')}: only types that can be taken away are.`
      : message;
  return { message: endWithStop(text), line: startLine, column: startColumn + 1 };
}

const endWithStop = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

function isStripError(error: unknown): error is StripError {
  return (
    typeof error === 'object' && error !== null && 'startLine' in error && 'startColumn' in error
  );
}
