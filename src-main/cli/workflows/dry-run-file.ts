// A dry run of a workflow file from the command line: by a host of its own, in a data folder that is
// thrown away.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createHost } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { DryRun } from '#shared/api/workflow-files.ts';
import type { Json } from '#shared/json.ts';

export interface TriedEvent {
  readonly topic: string;
  readonly payload: Json;
}

/** `secretsDir`: the data folder whose secrets reads may use. */
export async function dryRun(
  path: string,
  events: readonly TriedEvent[],
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
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError(
      { type: 'not_found', message: `${path} could not be read: ${why}. Nothing was tried.` },
      { cause: error },
    );
  }
}
