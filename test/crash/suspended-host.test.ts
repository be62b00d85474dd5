// A real host process sleeps at a step of a run, its workflow is taken over meanwhile, and it wakes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { startOutside, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { workflowSource } from '#test/crash/matrix/workflow-source.ts';
import type { SuspendedJob } from '#test/crash/power/suspended-host.ts';
import { succeed } from '#test/support/api-calls.ts';
import { serveHost, startNode } from '#test/support/child-processes.ts';
import { callOver } from '#test/support/http-client.ts';
import { isLinux, onlyOnLinux } from '#test/support/not-run.ts';
import { readRows } from '#test/support/read-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const ASLEEP_MS = 70_000;

function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 60_000, interval: 100 });
}

const isStopped = (pid: number): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe.skipIf(!isLinux)(`a host that sleeps${onlyOnLinux}`, () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await startOutside();
  });
  afterAll(() => outside.close());

  it.each([
    ['prepare:after', 0],
    ['in_flight:after', 0],
    ['send:after', 1],
    ['outcome:after', 1],
  ] as const)(
    '[CM-7] sends nothing when it wakes after a take-over: asleep at %s',
    async (point, sent) => {
      const root = tempFolder();
      const [a, b] = [join(root, 'a'), join(root, 'b')];
      for (const dir of [a, b]) mkdirSync(dir);
      const cellId = `asleep-${point}`;
      const workflowFile = join(root, 'workflow.ts');
      const where = { cellId, outsideUrl: outside.url, smtpPort: 0, folder: root, settleMs: 0 };
      writeFileSync(workflowFile, workflowSource('http.post', where));
      vi.stubEnv('HOLDFAST_LINK_HOST', '127.0.0.1').stubEnv('HOLDFAST_LINK_PORT', '0');
      onTestFinished(() => void vi.unstubAllEnvs());
      const other = await serveHost(b);
      const call: Parameters<typeof succeed>[0] = (...args) => callOver(other, ...args);
      const { link } = await succeed(call, 'devices.invite', {});

      const job: SuspendedJob = { dataDir: a, link, workflowFile, point, asleepMs: ASLEEP_MS };
      const child = startNode('test/crash/power/suspended-host.ts', [JSON.stringify(job)]);
      const pid = child.pid ?? 0;
      await eventually(() => expect(isStopped(pid)).toBe(true));
      const workflowId = await eventually(() => {
        const [workflow] = (readRows(b)['workflows'] ?? []) as { id: string }[];
        expect(workflow).toBeDefined();
        return workflow?.id ?? '';
      });
      await succeed(call, 'workflows.takeover', { workflowId });
      child.kill('SIGCONT');

      // It has heard of the take-over, and nothing of it is under way.
      await eventually(() => {
        expect(readRows(a)['ownership_claims']).toEqual(readRows(b)['ownership_claims']);
        expect(readRows(a)['mutations']).toEqual(readRows(b)['mutations']);
      });
      const made = await effectsOf(outside.url, cellId);
      expect(made.filter(({ n }) => n === 1)).toHaveLength(sent);
    },
    120_000,
  );
});
