// Script files, the registry that lists them, and the processes of their jobs.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPids, environmentOf, statOf } from '#main/runner/proc-files.ts';
import { JOB_MARK } from '#main/runner/process-tree.ts';

export interface TestScript {
  /** The script after `#!/bin/sh`. */
  readonly sh: string;
  readonly [part: string]: unknown;
}

export interface TestScripts {
  readonly [key: string]: TestScript;
}

/** Writes the scripts into a repo, and the registry that lists them. */
export function writeRegistry(
  dataDir: string,
  scripts: TestScripts,
): { repo: string; registryPath: string } {
  const repo = join(dataDir, 'repo');
  mkdirSync(repo, { recursive: true });
  const listed = Object.entries(scripts).map(([key, { sh, ...more }]) => {
    const path = join(repo, `${key}.sh`);
    writeFileSync(path, `#!/bin/sh\n${sh}\n`);
    chmodSync(path, 0o755);
    return [key, { title: key, executable: `${key}.sh`, ...more }];
  });
  const registryPath = join(dataDir, 'runner.json');
  const registry = { repos: { main: { path: repo } }, scripts: Object.fromEntries(listed) };
  writeFileSync(registryPath, JSON.stringify(registry));
  return { repo, registryPath };
}

/** Running processes of a job, or of any job. */
export function markedPids(jobId?: string): number[] {
  return allPids().filter((pid) => {
    const mark = environmentOf(pid, JOB_MARK) ?? '';
    return (jobId === undefined ? mark !== '' : mark === jobId) && !(statOf(pid)?.isDead ?? true);
  });
}

export function isRunning(pid: number): boolean {
  return !(statOf(pid)?.isDead ?? true);
}
