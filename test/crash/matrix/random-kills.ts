// Kills a host repeatedly at random moments while several workflows run. In the end every effect must
// have happened exactly once, without a decision by a person.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditAnytime, withCopy } from '#test/crash/matrix/audit.ts';
import type { KillsJob } from '#test/crash/matrix/random-kill-host.ts';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { startHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';

const WORKFLOWS = 4;
/** Upper bound of the random delay between an outcome and the kill. */
const KILL_WITHIN_MS = 8;
/** For the last process, which is not killed. */
const TIMEOUT_MS = 120_000;

type KillsPlan = Omit<KillsJob, 'kill'>;

export interface KillsResult {
  readonly kills: { readonly asked: number; readonly made: number };
  readonly runs: { readonly asked: number; readonly effects: number };
  readonly totals: {
    readonly cells: number;
    readonly duplicates: number;
    readonly lost: number;
    readonly stuck: number;
    readonly unsound: number;
  };
  readonly problems: readonly string[];
}

export async function killAtRandom(
  asked: { readonly runs: number; readonly kills: number },
  outside: Outside,
  root: string,
  say: (line: string) => void = () => undefined,
): Promise<KillsResult> {
  const home = join(root, 'kills');
  mkdirSync(home, { recursive: true });
  const each = asked.runs / WORKFLOWS;
  const cellIds = Array.from({ length: WORKFLOWS }, (_, index) => `kills-${index}`);
  const job: KillsPlan = {
    dataDir: join(home, 'data'),
    runs: asked.runs,
    workflowFiles: cellIds.map((cellId) => {
      const file = join(home, `${cellId}.ts`);
      writeFileSync(file, sourceOf(cellId, each, outside));
      return file;
    }),
  };
  try {
    let done = 0;
    let made = 0;
    const problems: string[] = [];
    for (; made < asked.kills; made += 1) {
      // Work that is certainly left: each kill may interrupt one run per workflow that a later process
      // completes without an outcome of its own. A kill comes within its share, so that work is left
      // for the last one.
      const left = asked.runs - done - made * WORKFLOWS;
      const share = left / (asked.kills - made);
      const ended = await runUntilKilled(job, 1 + Math.floor(Math.random() * share));
      done += ended.outcomes;
      if (ended.how !== 'killed') break;
      problems.push(...withCopy(job.dataDir, auditAnytime));
      say(`kill ${made + 1}: ${done} outcomes so far`);
    }
    const last = await runUntilKilled(job, null);
    if (last.how !== 'exited') problems.push(`the last host ${last.how}: ${last.error}`);
    return await judge({ asked, made, problems, job, cellIds, each, outside });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface EndedHost {
  readonly how: 'killed' | 'exited' | 'crashed';
  readonly outcomes: number;
  readonly error: string;
}

/** With `afterOutcomes` null, the host is not killed and finishes all work. */
async function runUntilKilled(plan: KillsPlan, afterOutcomes: number | null): Promise<EndedHost> {
  const kill = afterOutcomes === null ? null : { afterOutcomes, withinMs: KILL_WITHIN_MS };
  const { child, ended } = startHost('random-kill-host.ts', JSON.stringify({ ...plan, kill }));
  const timeout = setTimeout(() => child.kill('SIGTERM'), TIMEOUT_MS);
  const { code, signal, stdout, stderr } = await ended;
  clearTimeout(timeout);
  const how = signal === 'SIGKILL' ? 'killed' : code === 0 ? 'exited' : 'crashed';
  return { how, outcomes: stdout.length, error: `${signal} ${stderr}` };
}

async function judge(all: {
  readonly asked: { readonly runs: number; readonly kills: number };
  readonly made: number;
  readonly problems: readonly string[];
  readonly job: KillsPlan;
  readonly cellIds: readonly string[];
  readonly each: number;
  readonly outside: Outside;
}): Promise<KillsResult> {
  const found = await Promise.all(all.cellIds.map((id) => effectsOf(all.outside.url, id)));
  const times = new Map<string, number>();
  for (const [index, effects] of found.entries()) {
    for (const { n } of effects) times.set(`${index}:${n}`, (times.get(`${index}:${n}`) ?? 0) + 1);
  }
  const { dataDir } = all.job;
  const unsound = [...all.problems, ...withCopy(dataDir, auditAnytime)];
  const stuck = withCopy(dataDir, (db) =>
    db
      .prepare(
        `SELECT handler_name, phase FROM handler_runs WHERE phase NOT IN ('committed', 'failed')
         UNION ALL SELECT message_id, status FROM events WHERE status <> 'consumed'
         UNION ALL SELECT id, status FROM script_runs
           WHERE status IN ('booting', 'running', 'validating')`,
      )
      .all(),
  );
  return {
    kills: { asked: all.asked.kills, made: all.made },
    runs: { asked: all.asked.runs, effects: found.flat().length },
    totals: {
      cells: all.asked.runs,
      duplicates: [...times.values()].filter((count) => count > 1).length,
      lost: WORKFLOWS * all.each - times.size,
      stuck: stuck.length,
      unsound: unsound.length,
    },
    problems: [...unsound, ...stuck.map((one) => JSON.stringify(one))],
  };
}

function sourceOf(cellId: string, events: number, { url }: Outside): string {
  return `import { workflow } from 'holdfast';

export default workflow({
  name: '${cellId}',
  uses: { http: { hosts: ['${new URL(url).host}'] } },
  topics: ['work'],
  producers: {
    plan: {
      schedule: { every: '1h' },
      publishes: ['work'],
      async run(ctx, state) {
        if (state !== null) return state;
        for (let n = 0; n < ${events}; n += 1) await ctx.publish('work', { id: 'w' + n, title: 'Work ' + n, payload: { n } });
        return true;
      },
    },
  },
  consumers: {
    act: {
      subscribes: ['work'],
      async prepare(ctx) {
        const [event] = await ctx.peek('work', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : { reservations: [] };
      },
      async mutate(ctx, { data }) {
        await ctx.tools.http.post({
          url: '${url}/act/${cellId}',
          json: data,
          reconcile: {
            url: '${url}/look/${cellId}',
            query: 'key',
            happenedWhen: { jsonPath: 'count', equals: 1 },
            didNotHappenWhen: { jsonPath: 'count', equals: 0 },
            settleMs: 500,
          },
        });
      },
    },
  },
});
`;
}
