// Checks jobs, processes and logs after the stress run.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WHOLE_OUTPUT } from '#test/runner/stress/scripts.ts';
import { LogParser } from '#shared/runner/log-text.ts';
import { markedPids } from '#test/support/runner-files.ts';
import type { RestJob } from '#shared/api/runner-rest.ts';

export interface Audit {
  readonly unfinished: number;
  readonly ranTwice: number;
  readonly ranThoughCanceledBefore: number;
  readonly processesLeft: number;
  readonly tornLogs: readonly string[];
}

export function audit(dataDir: string, jobs: readonly RestJob[]): Audit {
  const began = countBegun(join(dataDir, 'repo', 'began.txt'));
  return {
    unfinished: jobs.filter(({ finished_at: at }) => at === null).length,
    ranTwice: [...began.values()].filter((times) => times > 1).length,
    ranThoughCanceledBefore: jobs.filter((job) => job.started_at === null && began.has(job.id))
      .length,
    processesLeft: jobs.flatMap(({ id }) => (began.has(id) ? markedPids(id) : [])).length,
    tornLogs: jobs.flatMap((job) => logProblems(dataDir, job)),
  };
}

function countBegun(path: string): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(path)) return counts;
  for (const id of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Problems of a log. */
function logProblems(dataDir: string, job: RestJob): string[] {
  const path = join(dataDir, 'runner-logs', `${job.id}.log`);
  const problem = (why: string): string[] => [
    `${job.id} (${job.script_key}, ${job.status}): ${why}`,
  ];
  if (!existsSync(path)) return job.log_bytes === 0 ? [] : problem('missing');
  if (statSync(path).size !== job.log_bytes) return problem('length differs from the recorded one');
  const text = readFileSync(path, 'utf8');
  if (text.includes('\ufffd')) return problem('contains an incomplete character');
  const pieces = new LogParser().push(text);
  const output = pieces
    .filter(({ source }) => source === 'stdout')
    .map((piece) => piece.text)
    .join('');
  if (job.reason === 'recovered_after_crash') {
    return text.includes('Holdfast stopped while this script ran')
      ? []
      : problem('no recovery line');
  }
  if (job.script_key === 'flood' && job.status === 'succeeded') {
    return text.includes('reached its limit') && job.log_dropped_bytes > 0
      ? []
      : problem('not truncated');
  }
  const isWhole = job.exit_code === 0 || job.exit_code === 3;
  if (!isWhole || job.status === 'canceled') return [];
  return output.endsWith(WHOLE_OUTPUT) ? [] : problem('lines are missing');
}
