// Reads the workflow file that a command was given.
import { explainFileError } from '#main/platform/file-error.ts';
import { readScriptFile } from '#main/platform/script-file.ts';
import { ApiError } from '#shared/api/errors.ts';

export function readSource(path: string): string {
  try {
    return readScriptFile(path);
  } catch (error) {
    const why = explainFileError(error);
    throw new ApiError(
      { type: 'not_found', message: `Could not read ${path}: ${why}. Nothing was run.` },
      { cause: error },
    );
  }
}
