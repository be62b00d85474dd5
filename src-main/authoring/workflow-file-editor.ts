// The files of workflows as an editor works on them: reading one, replacing one that is known,
// making a new one in the workflows folder. Nothing else on this machine can be written through it.
import { asSentence } from '#main/authoring/as-sentence.ts';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Added, WorkflowLibrary } from '#main/authoring/library.ts';
import { createFile, replaceFile } from '#main/authoring/replace-file.ts';
import type { Stores } from '#main/store/stores.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { WorkflowFileView } from '#shared/api/workflow-files.ts';
import { sha256Hex } from '#shared/ids.ts';
import { MAX_SCRIPT_BYTES } from '#shared/limits.ts';

export interface Saved extends Added {
  readonly path: string;
  readonly sha: string;
}

type OnDisk =
  | { readonly source: string; readonly sha: string; readonly problem: null }
  | { readonly source: null; readonly sha: null; readonly problem: string | null };

export class FileDesk {
  readonly #library: WorkflowLibrary;
  readonly #stores: Stores;
  readonly #folder: string;

  /** `dataDir`: new files are made in its folder `workflows`. */
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
      return { path, fileName: basename(path), ...readOnDisk(path), draftProblems };
    }
    const { scriptId = null, name = workflowId } = workflows.get(workflowId) ?? {};
    const fileName = (scriptId === null ? null : scripts.get(scriptId)?.fileName) ?? `${name}.ts`;
    return { path, fileName, source: null, sha: null, problem: null, draftProblems };
  }

  /** `basedOn`: the text that the person saw; where the file is another by now, nothing is written. */
  async save(workflowId: string, source: string, basedOn: string | null): Promise<Saved> {
    const path = this.#stores.workflowFiles.ofWorkflow(workflowId);
    if (path === undefined) throw elsewhere();
    assertAsSeen(path, basedOn);
    await this.#assertValid(source, basename(path));
    // Once more, in the same turn as the write: checking took a while.
    assertAsSeen(path, basedOn);
    orExplain(path, () => replaceFile(path, source));
    return { ...(await this.#library.add(path)), path, sha: sha256Hex(source) };
  }

  async create(fileName: string, source: string): Promise<Saved> {
    const path = join(this.#folder, fileName);
    await this.#assertValid(source, fileName);
    const isNew = orExplain(path, () => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return createFile(path, source);
    });
    if (!isNew) throw taken(path);
    return { ...(await this.#library.add(path)), path, sha: sha256Hex(source) };
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

function readOnDisk(path: string): OnDisk {
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
        : `${path} could not be read: ${messageOf(error)}.`;
    return { source: null, sha: null, problem };
  }
}

function assertAsSeen(path: string, basedOn: string | null): void {
  const { sha, problem } = readOnDisk(path);
  if (problem !== null) throw new ApiError({ type: 'conflict', message: problem });
  if (sha === basedOn) return;
  throw new ApiError({
    type: 'conflict',
    reason: 'file_changed',
    message: `${basename(path)} was changed by another program since you opened it. Nothing was saved. Compare both, then keep one.`,
  });
}

function orExplain<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const message = `${path} could not be written: ${messageOf(error)}. Nothing was saved.`;
    throw new ApiError({ type: 'conflict', message }, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function elsewhere(): ApiError {
  return new ApiError({
    type: 'conflict',
    reason: 'file_elsewhere',
    message:
      'The file of this workflow is on another device. Nothing was saved. Edit it there, or take a copy of the text.',
  });
}

function taken(path: string): ApiError {
  return new ApiError({
    type: 'conflict',
    reason: 'name_taken',
    message: `There is a file ${path} already. It was left alone, and nothing was saved. Choose another name.`,
  });
}
