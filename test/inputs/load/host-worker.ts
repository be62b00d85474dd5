// The host under load: one process, on the same data folder and port, until it is killed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { contract, type CallInput, type CallName, type CallOutput } from '#shared/api/contract.ts';

export interface LoadJob {
  readonly dataDir: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly outsideUrl: string;
  readonly workflows: number;
}

export interface LoadEndpoint {
  readonly port: number;
  readonly hooks: readonly { readonly path: string; readonly secret: string }[];
}

const job = JSON.parse(process.argv[2] ?? '') as LoadJob;
const host = createHost({
  dataDir: job.dataDir,
  createLog: (masker) => createLog(job.dataDir, masker),
  hookRate: { burst: 1e9, perSecond: 1e9 },
  links: { host: '127.0.0.1', port: 0 },
});
const server = await startHttpServer({ host, port: job.port });
const hooks = await makeHooks();
const endpoint: LoadEndpoint = { port: Number(new URL(server.url).port), hooks };
process.stdout.write(`${JSON.stringify(endpoint)}\n`);
process.once('SIGTERM', () => {
  void server
    .close()
    .then(() => host.close())
    .then(() => process.exit(0));
});

/** Created by the first process only, because a secret is shown once. */
async function makeHooks(): Promise<LoadEndpoint['hooks']> {
  if (host.stores.hooks.list().length > 0) return [];
  const made: { path: string; secret: string }[] = [];
  for (let n = 0; n < job.workflows; n += 1) {
    const path = join(job.dataDir, `load-${n}.ts`);
    writeFileSync(path, source(n));
    const { workflowId } = await call('workflows.add', { path });
    const { hook, secret } = await call('hooks.create', {
      requestId: `load-${n}`,
      workflowId,
      name: `load-${n}`,
      auth: { kind: 'bearer' },
      dedup: { by: 'path', path: 'n' },
    });
    made.push({ path: hook.path, secret });
  }
  return made;
}

async function call<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
): Promise<CallOutput<Name>> {
  const answer = await host.dispatch(name, input);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
  return contract[name].output.parse(answer.output) as CallOutput<Name>;
}

/** Makes one effect per input, with a check by key. */
function source(n: number): string {
  return `import { workflow } from 'holdfast';
export default workflow({
  name: 'load-${n}',
  uses: { http: { hosts: ['${new URL(job.outsideUrl).host}'] } },
  topics: ['in'],
  consumers: {
    act: {
      subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: { n: event.payload.n } } : {};
      },
      async mutate(ctx, { data }) {
        await ctx.tools.http.post({
          url: '${job.outsideUrl}/act',
          json: data,
          reconcile: {
            url: '${job.outsideUrl}/look',
            query: 'key',
            happenedWhen: { jsonPath: 'count', equals: 1 },
            didNotHappenWhen: { jsonPath: 'count', equals: 0 },
            settleMs: 0,
          },
        });
      },
    },
  },
});
`;
}
