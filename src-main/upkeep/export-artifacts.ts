// Artifacts in an export: each file has the hash of its content as its name, as in the data folder.
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '#main/store/sqlite/database.ts';
import type { Manifest } from '#main/upkeep/export-format.ts';
import { hashOfFile } from '#main/upkeep/jsonl-file.ts';
import { SHA256 } from '#shared/inputs/artifacts.ts';

const REFS = `SELECT DISTINCT ref FROM (
    SELECT enrichment_artifact_ref AS ref FROM automation_runs
    UNION ALL SELECT sources_artifact_ref FROM automation_runs
    UNION ALL SELECT policy_artifact_ref FROM automation_runs
    UNION ALL SELECT completion_artifact_ref FROM automation_runs
    UNION ALL SELECT facts ->> 'sha256' FROM artifacts)
  WHERE ref IS NOT NULL ORDER BY ref`;

const FILE = /^artifacts\/([0-9a-f]{64})$/;

const pathOf = (artifacts: string, ref: string): string =>
  join(artifacts, ref.slice(0, 2), ref.slice(2));

/** Copies what rows refer to and this device has. A damaged file is left out. */
export function exportArtifacts(db: Database, artifacts: string, dir: string): Manifest['files'] {
  const files: Manifest['files'] = {};
  mkdirSync(join(dir, 'artifacts'));
  // A peer may have sent anything as a reference.
  for (const ref of db.prepare(REFS).pluck().iterate() as Iterable<unknown>) {
    if (typeof ref !== 'string' || !SHA256.test(ref)) continue;
    const path = pathOf(artifacts, ref);
    if (!existsSync(path) || hashOfFile(path) !== ref) continue;
    copyFileSync(path, join(dir, 'artifacts', ref));
    files[`artifacts/${ref}`] = { sha256: ref, lines: 0 };
  }
  return files;
}

/** An artifact whose content isn't that of its name. The hash in the manifest was compared before. */
export function falseArtifact({ files }: Manifest): string | undefined {
  return Object.entries(files).find(([file, { sha256 }]) => {
    const ref = FILE.exec(file)?.[1];
    return file.startsWith('artifacts/') && ref !== sha256;
  })?.[0];
}

/** A file is renamed to its name when it is complete, so a crash leaves no partial artifact. */
export function importArtifacts(dir: string, { files }: Manifest, artifacts: string): void {
  for (const file of Object.keys(files)) {
    const ref = FILE.exec(file)?.[1];
    if (ref === undefined || existsSync(pathOf(artifacts, ref))) continue;
    mkdirSync(join(artifacts, ref.slice(0, 2)), { recursive: true, mode: 0o700 });
    const partial = `${pathOf(artifacts, ref)}.tmp`;
    copyFileSync(join(dir, file), partial);
    renameSync(partial, pathOf(artifacts, ref));
  }
}
