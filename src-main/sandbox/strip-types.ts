// Replaces the types in a TypeScript file by spaces, so that lines and columns stay the same.
import { transformSync } from 'amaro';

export interface Problem {
  readonly message: string;
  /** Line and column start at 1. */
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

/** The error of amaro, where columns start at 0. */
interface StripError {
  readonly code: string;
  readonly message: string;
  readonly startLine: number;
  readonly startColumn: number;
}

function problemOf(error: unknown): Problem {
  if (!isStripError(error)) {
    return { message: 'This file is not valid TypeScript.', line: 1, column: 1 };
  }
  const { code, message, startLine, startColumn } = error;
  const text =
    code === 'UnsupportedSyntax'
      ? `${message.replace(' in strip-only mode', ' here')}: only types that can be removed without changing the code are supported.`
      : message;
  return { message: endWithStop(text), line: startLine, column: startColumn + 1 };
}

const endWithStop = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

function isStripError(error: unknown): error is StripError {
  return (
    typeof error === 'object' && error !== null && 'startLine' in error && 'startColumn' in error
  );
}
