// Dry run of a workflow file: a separate host in a temporary data folder.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createHost } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { explainFileError } from '#main/platform/file-error.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { DryRun } from '#shared/api/workflow-files.ts';
import type { Json } from '#shared/json.ts';

export interface DryRunEvent {
  readonly topic: string;
  readonly payload: Json;
}

/** `secretsDir`: the data folder whose secrets reads may use. */
export async function dryRunFile(
  path: string,
  events: readonly DryRunEvent[],
  secretsDir: string,
): Promise<DryRun> {
  const source = readSource(path);
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-try-'));
  try {
    const host = createHost({
      dataDir,
      secretsDir,
      createLog: createSilentLog,
      runsWorkflows: false,
    });
    try {
      const input = { source, fileName: basename(path), events };
      const result = await host.dispatch('workflows.try', input);
      if (result.ok) return result.output as DryRun;
      throw new ApiError(result.error);
    } finally {
      await host.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function readSource(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = explainFileError(error);
    throw new ApiError(
      { type: 'not_found', message: `Could not read ${path}: ${why}. Nothing was run.` },
      { cause: error },
    );
  }
}
