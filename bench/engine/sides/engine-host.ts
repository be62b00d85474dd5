// The subject: a whole host with its sandbox and its tools, as the server starts it. Events arrive
// through the dispatcher that every transport uses.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tempFolderUntilExit } from '../temp-folder-until-exit.ts';
import { createPost } from '../post.ts';
import { shapesOf, type Shapes } from '../shapes.ts';
import { serveSide } from '../side.ts';
import {
  atOnce,
  invoice,
  WORKFLOWS,
  oneAtATime,
  RUNS_ONE_AT_A_TIME,
  RUNS_PER_WORKFLOW,
  type AtOnce,
  type OneAtATime,
} from '../workload.ts';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { eventId, topicId } from '#shared/ids.ts';
import type { CallInput, CallName } from '#shared/api/contract.ts';

export interface HostAnswers {
  readonly oneAtATime: OneAtATime;
  readonly atOnce: AtOnce & { readonly eventLoopDelayP99: number };
  /** The maximum since the process started. */
  readonly peakRssMb: number;
  readonly shapes: Shapes;
}

const port = Number(process.argv[2]);
const folder = tempFolderUntilExit('host');
const dataDir = join(folder, 'data');
const host = createHost({ dataDir, createLog: (masker) => createLog(dataDir, masker) });
const post = createPost(port, 'post');

async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<unknown> {
  const answer = await host.dispatch(name, input);
  if (answer.ok) return answer.output;
  throw new Error(answer.error.message);
}

function source(index: number): string {
  return `import { workflow } from 'holdfast';

export default workflow({
  name: 'invoices-${index}',
  uses: { http: { hosts: ['127.0.0.1:${port}'] } },
  topics: ['invoice.found', 'invoice.filed'],
  consumers: {
    file: {
      subscribes: ['invoice.found'],
      publishes: ['invoice.filed'],
      async prepare(ctx) {
        const [event] = await ctx.peek('invoice.found', { limit: 1 });
        if (!event) return { reservations: [] };
        return { reservations: [event], data: event.payload, ui: { title: 'File it' } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.http.post({
          url: 'http://127.0.0.1:${port}/effects/host',
          json: prepared.data,
        });
      },
      async next(ctx, prepared, outcome) {
        const { messageId } = prepared.reservations[0];
        await ctx.publish('invoice.filed', {
          id: messageId,
          title: 'Filed',
          payload: { number: outcome.result.json.number },
        });
      },
    },
  },
});
`;
}

interface HostWorkflow {
  readonly workflowId: string;
  readonly filedTopicId: string;
  published: number;
}

const workflows: HostWorkflow[] = [];
for (let index = 0; index < WORKFLOWS; index += 1) {
  const path = join(folder, `invoices-${index}.ts`);
  writeFileSync(path, source(index));
  const { workflowId } = (await call('workflows.add', { path })) as { workflowId: string };
  workflows.push({ workflowId, filedTopicId: topicId(workflowId, 'invoice.filed'), published: 0 });
}

/** A run has committed once the event it publishes exists. */
const waiting = new Map<string, () => void>();
host.folder.db.changes.subscribe((changes) => {
  for (const id of changes.get('events') ?? []) {
    waiting.get(id)?.();
    waiting.delete(id);
  }
});

async function run(index: number): Promise<void> {
  const workflow = workflows[index] as HostWorkflow;
  workflow.published += 1;
  const messageId = `message-${workflow.published}`;
  const committed = new Promise<void>((resolve) => {
    waiting.set(eventId(workflow.filedTopicId, messageId), resolve);
  });
  await call('events.publish', {
    workflowId: workflow.workflowId,
    topic: 'invoice.found',
    messageId,
    title: `Invoice ${workflow.published}`,
    payload: invoice(index, workflow.published),
  });
  await committed;
}

let posts = 0;
function postAlone(): Promise<unknown> {
  posts += 1;
  return post(`post-${posts}`, invoice(0, posts));
}

async function watchedAtOnce(): Promise<HostAnswers['atOnce']> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const measured = await atOnce(RUNS_PER_WORKFLOW, run);
  delay.disable();
  return { ...measured, eventLoopDelayP99: delay.percentile(99) / 1e6 };
}

serveSide(
  {
    oneAtATime: () => oneAtATime(RUNS_ONE_AT_A_TIME, run, postAlone),
    atOnce: watchedAtOnce,
    // In KiB.
    peakRssMb: () => (process.resourceUsage().maxRSS * 1024) / 1e6,
    shapes: () => shapesOf((sql) => host.folder.db.get(sql)),
  },
  () => host.close(),
);
