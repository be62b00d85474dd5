// Loads and checks a workflow file.
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { checkWorkflow, type WorkflowCheck } from '#main/authoring/check-workflow.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { MAX_SCRIPT_BYTES } from '#shared/limits.ts';

export async function loadWorkflowFile(path: string, sandbox: Sandbox): Promise<WorkflowCheck> {
  try {
    // A huge file is not read at all.
    if ((await stat(path)).size > MAX_SCRIPT_BYTES) {
      return unreadable(`The file is larger than ${MAX_SCRIPT_BYTES} bytes.`);
    }
    return await checkWorkflow(await readFile(path, 'utf8'), basename(path), sandbox);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return unreadable(`Could not read ${path}: ${error.message}.`);
  }
}

const unreadable = (message: string): WorkflowCheck => ({
  ok: false,
  problems: [{ message, line: 1, column: 1 }],
});
