// File errors in words, and what each means for the effect.
import type {
  MaySend,
  MutationOutcome,
  ReadOutcome,
  ReconcileOutcome,
  ToolFailure,
} from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';

/** Refused by Holdfast before anything was done. */
export class FileRefused extends Error {
  readonly errorType: ErrorType;

  constructor(errorType: ErrorType, message: string) {
    super(message);
    this.name = 'FileRefused';
    this.errorType = errorType;
  }
}

const MEANINGS: { readonly [code: string]: readonly [ErrorType, string] } = {
  ENOENT: ['logic', 'the file or its folder does not exist'],
  ENOTDIR: ['logic', 'part of the path is not a folder'],
  EISDIR: ['logic', 'it is a folder'],
  EEXIST: ['logic', 'it already exists'],
  ENOTEMPTY: ['logic', 'it already exists'],
  EINVAL: ['logic', 'the system rejects it'],
  ENAMETOOLONG: ['logic', 'the name is too long'],
  EXDEV: ['logic', 'the two paths are on different disks; write the file there instead'],
  ELOOP: ['permission', 'it is a link'],
  EACCES: ['permission', 'the system does not allow it'],
  EPERM: ['permission', 'the system does not allow it'],
  EROFS: ['permission', 'the disk is read-only'],
  ENOSPC: ['internal', 'the disk is full'],
  EDQUOT: ['internal', 'the disk quota is used up'],
  EMFILE: ['internal', 'too many files are open'],
};

/** On a network disk these can occur after the operation took effect. */
const UNSURE = ['EIO', 'ETIMEDOUT', 'ESTALE', 'EREMOTEIO', 'ENOTCONN', 'EHOSTDOWN'];

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

export function failureOf(error: unknown, path: string): ToolFailure {
  if (error instanceof FileRefused) return { errorType: error.errorType, error: error.message };
  const code = codeOf(error);
  const known = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  const [errorType, why] = known ?? ['internal', code || String(error)];
  return { errorType, error: `${path}: ${why}.` };
}

export async function readOutcome(path: string, work: () => Promise<Json>): Promise<ReadOutcome> {
  try {
    return { type: 'ok', result: await work() };
  } catch (error) {
    return { type: 'failed', ...failureOf(error, path) };
  }
}

/** It is too late to act (`maySend`). */
class HeldBack extends Error {
  readonly failure: ToolFailure;

  constructor(failure: ToolFailure) {
    super(failure.error);
    this.failure = failure;
  }
}

/** The doubt window is 0, because no call of this process is under way. */
export const NOT_THERE = { type: 'not_there', windowMs: 0 } as const;

/** Runs the one step that performs the effect. An error before or in it means nothing changed. */
export type Act = (step: () => Promise<void>) => Promise<void>;

export async function mutationOutcome(
  maySend: MaySend,
  path: string,
  work: (act: Act) => Promise<Json>,
): Promise<MutationOutcome> {
  let acted = false;
  const act: Act = async (step) => {
    const heldBack = maySend();
    if (heldBack) throw new HeldBack(heldBack);
    try {
      await step();
      acted = true;
    } catch (error) {
      acted ||= UNSURE.includes(codeOf(error));
      throw error;
    }
  };
  try {
    return { type: 'applied', result: await work(act) };
  } catch (error) {
    if (error instanceof HeldBack) return { type: 'not_sent', ...error.failure };
    const failure = failureOf(error, path);
    return acted
      ? { type: 'ambiguous', error: `${failure.error} It may have gone through.` }
      : { type: 'failed', ...failure };
  }
}

export async function reconcileOutcome(
  path: string,
  work: () => Promise<ReconcileOutcome>,
): Promise<ReconcileOutcome> {
  try {
    return await work();
  } catch (error) {
    return { type: 'unknown', error: failureOf(error, path).error };
  }
}
