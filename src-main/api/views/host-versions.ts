// Versions of Holdfast and of the software it runs on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Desktop } from '#main/platform/desktop.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import type { Database } from '#main/store/sqlite/database.ts';

export interface HostVersions {
  readonly holdfast: string;
  readonly schema: number;
  readonly node: string;
  readonly sqlite: string;
  readonly crsqlite: string;
  readonly electron: string | null;
  readonly chromium: string | null;
  readonly platform: string;
}

interface Manifest {
  readonly version: string;
  readonly config: { readonly crsqlite: string };
}

export function hostVersions(
  db: Database,
  schema: number,
  desktop: Desktop | undefined,
): HostVersions {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  const { version, config } = JSON.parse(text) as Manifest;
  return {
    holdfast: version,
    schema,
    node: process.versions.node,
    sqlite: db.value<string>('SELECT sqlite_version()') ?? '',
    crsqlite: config.crsqlite,
    electron: desktop?.versions.electron ?? null,
    chromium: desktop?.versions.chromium ?? null,
    platform: `${process.platform} ${process.arch}`,
  };
}
