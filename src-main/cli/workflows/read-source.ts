// Reads the workflow file that a command was given.
import { readFileSync, statSync } from 'node:fs';
import { explainFileError } from '#main/platform/file-error.ts';
import { ApiError } from '#shared/api/errors.ts';
import { MAX_SCRIPT_BYTES } from '#shared/limits.ts';

export function readSource(path: string): string {
  try {
    // A huge file is not read at all.
    if (statSync(path).size > MAX_SCRIPT_BYTES) {
      throw new Error(`it is larger than ${MAX_SCRIPT_BYTES} bytes`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = explainFileError(error);
    throw new ApiError(
      { type: 'not_found', message: `Could not read ${path}: ${why}. Nothing was run.` },
      { cause: error },
    );
  }
}
