// The subject: a whole host with its server, its stages and its sandbox, as `holdfast serve` runs it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serveSide } from '../../engine/side.ts';
import { tempFolderUntilExit } from '../../engine/temp-folder-until-exit.ts';
import { bodyOf, SECRET } from '../webhook-body.ts';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import type { CallInput, CallName } from '#shared/api/contract.ts';

export interface HostAnswers {
  readonly address: { readonly port: number; readonly path: string };
  /** Resolves when the outbox is empty: every stage has finished. */
  readonly drained: null;
  readonly counts: { readonly inputs: number; readonly runs: number };
  /** Milliseconds from the input to the start of its first handler run, one at a time. */
  readonly firstHandler: readonly number[];
}

const ONE_AT_A_TIME = 60;
const dataDir = join(tempFolderUntilExit('ingress'), 'data');
const host = createHost({
  dataDir,
  createLog: (masker) => createLog(dataDir, masker),
  hookRate: { burst: 1e9, perSecond: 1e9 },
  links: { host: '127.0.0.1', port: 0 },
});
const { db } = host.folder;
const server = await startHttpServer({ host, port: 0 });
const port = Number(new URL(server.url).port);
// The workflow of `paused` runs no handler, so that only ingress is timed.
const paused = await makeHook('paused');
const running = await makeHook('running');
await call('workflows.pause', { workflowId: paused.workflowId });

serveSide(
  {
    address: () => ({ port, path: paused.path }),
    drained: async () => {
      while (host.stores.outbox.depth() > 0) await wait(20);
      return null;
    },
    counts: () => ({
      inputs: db.value<number>('SELECT count(*) FROM trigger_events') ?? 0,
      runs: db.value<number>('SELECT count(*) FROM automation_runs') ?? 0,
    }),
    firstHandler,
  },
  async () => {
    await server.close();
    await host.close();
  },
);

async function firstHandler(): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < ONE_AT_A_TIME; n += 1) {
    const answer = await fetch(server.url + running.path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${SECRET}` },
      body: bodyOf(Date.now() * 1000 + n),
    });
    const { id } = (await answer.json()) as { id: string };
    times.push(await timeToHandler(id));
  }
  return times;
}

async function timeToHandler(inputId: string): Promise<number> {
  for (;;) {
    const row = db.get<{ began: string; queued_at: number }>(
      `SELECT h.start_timestamp AS began, r.queued_at FROM automation_runs r
       JOIN events e ON e.caused_by = r.trigger_event_id
       JOIN reservations v ON v.event_id = e.id JOIN handler_runs h ON h.id = v.handler_run_id
       WHERE r.trigger_event_id = ?`,
      inputId,
    );
    if (row) return Date.parse(row.began) - row.queued_at;
    await wait(2);
  }
}

async function makeHook(name: string): Promise<{ path: string; workflowId: string }> {
  const path = join(dataDir, `${name}.ts`);
  writeFileSync(path, source(name));
  const { workflowId } = (await call('workflows.add', { path })) as { workflowId: string };
  const { hook } = (await call('hooks.create', {
    requestId: name,
    workflowId,
    name,
    auth: { kind: 'bearer' },
    dedup: { by: 'path', path: 'n' },
    secret: SECRET,
  })) as { hook: { path: string } };
  return { path: hook.path, workflowId };
}

async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<unknown> {
  const answer = await host.dispatch(name, input);
  if (answer.ok) return answer.output;
  throw new Error(answer.error.message);
}

function source(name: string): string {
  return `import { workflow } from 'holdfast';
export default workflow({
  name: '${name}',
  topics: ['in'],
  consumers: { accept: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event] } : {};
    },
  } },
});
`;
}
