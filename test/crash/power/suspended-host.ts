// A host that stops itself at a step of a run, as a laptop that sleeps. When it is continued, its clock
// shows that a long time has passed.
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { systemClock } from '#main/platform/system.ts';
import { call } from '#test/crash/matrix/answer-inbox.ts';

export interface SuspendedJob {
  readonly dataDir: string;
  /** Invitation of the device that takes over. */
  readonly link: string;
  readonly workflowFile: string;
  /** Stops the first time that it gets there. */
  readonly point: string;
  /** Added to the clock; the process really stops for as long as the test wants. */
  readonly asleepMs: number;
}

const job = JSON.parse(process.argv[2] ?? '') as SuspendedJob;
let skipped = 0;
let hasStopped = false;
const host = createHost({
  dataDir: job.dataDir,
  createLog: (masker) => createLog(job.dataDir, masker),
  links: { host: '127.0.0.1', port: 0 },
  clock: {
    now: () => systemClock.now() + skipped,
    wakeAt: (time, wake) => systemClock.wakeAt(time - skipped, wake),
    sleep: (ms) => systemClock.sleep(ms),
  },
  probe: (point) => {
    if (point !== job.point || hasStopped) return;
    hasStopped = true;
    process.kill(process.pid, 'SIGSTOP');
    skipped += job.asleepMs;
  },
});
process.once('SIGTERM', () => void host.close().then(() => process.exit(0)));
await call(host, 'devices.join', { link: job.link });
await call(host, 'workflows.add', { path: job.workflowFile });
