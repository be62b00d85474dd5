// The API of the workflow editor: reads and replaces known workflow files and creates new ones in the
// workflows folder. It cannot write any other file.
import { asSentence } from '#main/authoring/as-sentence.ts';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Added, WorkflowLibrary } from '#main/authoring/library.ts';
import { createFile, replaceFile } from '#main/authoring/replace-file.ts';
import type { Stores } from '#main/store/stores.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { WorkflowFileView } from '#shared/api/workflow-files.ts';
import { sha256Hex } from '#shared/ids.ts';
import { MAX_SCRIPT_BYTES } from '#shared/limits.ts';
import { messageOf } from '#shared/message-of.ts';

export interface SavedFile extends Added {
  readonly path: string;
  readonly sha: string;
}

type FileContent =
  | { readonly source: string; readonly sha: string; readonly problem: null }
  | { readonly source: null; readonly sha: null; readonly problem: string | null };

export class WorkflowFileEditor {
  readonly #library: WorkflowLibrary;
  readonly #stores: Stores;
  readonly #folder: string;

  /** New files are created in `workflows/` of `dataDir`. */
  constructor(library: WorkflowLibrary, stores: Stores, dataDir: string) {
    this.#library = library;
    this.#stores = stores;
    this.#folder = join(dataDir, 'workflows');
  }

  read(workflowId: string): WorkflowFileView {
    const { workflowFiles, workflows, scripts, laneValidation } = this.#stores;
    const path = workflowFiles.ofWorkflow(workflowId) ?? null;
    const draftProblems = [...(laneValidation.get(workflowId, 'draft')?.problems ?? [])];
    if (path !== null) {
      return { path, fileName: basename(path), ...readContent(path), draftProblems };
    }
    const { scriptId = null, name = workflowId } = workflows.get(workflowId) ?? {};
    const fileName = (scriptId === null ? null : scripts.get(scriptId)?.fileName) ?? `${name}.ts`;
    return { path, fileName, source: null, sha: null, problem: null, draftProblems };
  }

  /** `basedOn`: hash of the text that was edited. Nothing is written if the file changed since. */
  async save(workflowId: string, source: string, basedOn: string | null): Promise<SavedFile> {
    const path = this.#stores.workflowFiles.ofWorkflow(workflowId);
    if (path === undefined) throw fileElsewhere();
    assertUnchanged(path, basedOn);
    await this.#assertValid(source, basename(path));
    // Checked again right before the write, because validation takes a while.
    assertUnchanged(path, basedOn);
    writeOrThrow(path, () => replaceFile(path, source));
    return { ...(await this.#library.add(path)), path, sha: sha256Hex(source) };
  }

  async create(fileName: string, source: string): Promise<SavedFile> {
    const path = join(this.#folder, fileName);
    await this.#assertValid(source, fileName);
    const isNew = writeOrThrow(path, () => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return createFile(path, source);
    });
    if (!isNew) throw nameTaken(path);
    try {
      return { ...(await this.#library.add(path)), path, sha: sha256Hex(source) };
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
  }

  async #assertValid(source: string, fileName: string): Promise<void> {
    const { ok, problems } = await this.#library.validate(source, fileName);
    if (ok) return;
    const lines = problems.map(
      ({ message, line, column }) => `${fileName}:${line}:${column}: ${message}`,
    );
    throw new ApiError({
      type: 'invalid_input',
      reason: 'not_a_workflow',
      message: asSentence(`Nothing was saved: ${lines[0] ?? 'it is not valid'}`),
      problems: lines,
    });
  }
}

function readContent(path: string): FileContent {
  try {
    if (statSync(path).size > MAX_SCRIPT_BYTES) {
      throw new Error(`it is larger than ${MAX_SCRIPT_BYTES} bytes`);
    }
    const source = readFileSync(path, 'utf8');
    return { source, sha: sha256Hex(source), problem: null };
  } catch (error) {
    const problem =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? null
        : `Could not read ${path}: ${messageOf(error)}.`;
    return { source: null, sha: null, problem };
  }
}

function assertUnchanged(path: string, basedOn: string | null): void {
  const { sha, problem } = readContent(path);
  if (problem !== null) throw new ApiError({ type: 'conflict', message: problem });
  if (sha === basedOn) return;
  throw new ApiError({
    type: 'conflict',
    reason: 'file_changed',
    message: `Another program changed ${basename(path)} since you opened it. Nothing was saved. Compare both versions and choose one.`,
  });
}

function writeOrThrow<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const message = `Could not write ${path}: ${messageOf(error)}. Nothing was saved.`;
    throw new ApiError({ type: 'conflict', message }, { cause: error });
  }
}

function fileElsewhere(): ApiError {
  return new ApiError({
    type: 'conflict',
    reason: 'file_elsewhere',
    message:
      'The file of this workflow is on another device. Nothing was saved. Edit it there, or copy the text.',
  });
}

function nameTaken(path: string): ApiError {
  return new ApiError({
    type: 'conflict',
    reason: 'name_taken',
    message: `The file ${path} already exists. It is unchanged and nothing was saved. Choose another name.`,
  });
}
