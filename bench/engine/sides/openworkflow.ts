// OpenWorkflow on SQLite as published on npm: the same three steps, the same POST. It polls for work;
// completion is observed at the call that writes it, so no poll of the bench adds to its times.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tempFolderUntilExit } from '../temp-folder-until-exit.ts';
import { createPost } from '../post.ts';
import { serveSide } from '../side.ts';
import {
  atOnce,
  invoice,
  WORKFLOWS,
  oneAtATime,
  OPENWORKFLOW_RUNS_ONE_AT_A_TIME,
  OPENWORKFLOW_RUNS_PER_WORKFLOW,
  type AtOnce,
  type OneAtATime,
} from '../workload.ts';
import { inRepo } from '#scripts/lib/paths.mjs';
import type { JsonObject } from '#shared/json.ts';

export interface OpenWorkflowAnswers {
  readonly oneAtATime: OneAtATime;
  readonly atOnce: AtOnce;
}

/** The parts of its API that are used here. It is not a dependency, so its types are not installed. */
interface Backend {
  completeWorkflowRun(params: { readonly workflowRunId: string }): Promise<unknown>;
  stop(): Promise<void>;
}
interface Step {
  run<Result>(options: { readonly name: string }, work: () => Promise<Result>): Promise<Result>;
}
interface WorkflowArguments {
  readonly input: JsonObject;
  readonly step: Step;
  readonly run: { readonly id: string };
}
interface Runnable {
  run(input: JsonObject): Promise<{ readonly workflowRun: { readonly id: string } }>;
}
interface Client {
  defineWorkflow(
    options: { readonly name: string },
    work: (given: WorkflowArguments) => Promise<unknown>,
  ): Runnable;
  newWorker(options: { readonly concurrency: number }): {
    start(): Promise<void>;
    stop(): Promise<void>;
  };
}

const require = createRequire(inRepo('bench', 'openworkflow', 'package.json'));
async function load<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(require.resolve(name)).href)) as Module;
}
const { OpenWorkflow } = await load<{
  OpenWorkflow: new (options: { readonly backend: Backend }) => Client;
}>('openworkflow');
const { BackendSqlite } = await load<{
  BackendSqlite: { connect(path: string): Backend };
}>('openworkflow/sqlite');

const post = createPost(Number(process.argv[2]), 'openworkflow');
const folder = tempFolderUntilExit('openworkflow');
const backend = BackendSqlite.connect(join(folder, 'openworkflow.db'));

const waiting = new Map<string, () => void>();
const complete = backend.completeWorkflowRun.bind(backend);
backend.completeWorkflowRun = async (params) => {
  const completed = await complete(params);
  waiting.get(params.workflowRunId)?.();
  waiting.delete(params.workflowRunId);
  return completed;
};

const client = new OpenWorkflow({ backend });
const workflows = Array.from({ length: WORKFLOWS }, (_, index) =>
  client.defineWorkflow({ name: `invoices-${index}` }, async ({ input, step, run: { id } }) => {
    const prepared = await step.run({ name: 'prepare' }, async () => ({ data: input }));
    const result = await step.run({ name: 'mutate' }, () => post(id, prepared.data));
    return step.run({ name: 'next' }, async () => ({ filed: result['json'] ?? null }));
  }),
);
const worker = client.newWorker({ concurrency: WORKFLOWS });
await worker.start();

let started = 0;
async function run(index: number): Promise<void> {
  started += 1;
  const handle = await (workflows[index] as Runnable).run(invoice(index, started));
  // Not too late: the worker picks the run up in a later turn of the event loop.
  await new Promise<void>((resolve) => waiting.set(handle.workflowRun.id, resolve));
}

serveSide(
  {
    oneAtATime: () => oneAtATime(OPENWORKFLOW_RUNS_ONE_AT_A_TIME, run, null),
    atOnce: () => atOnce(OPENWORKFLOW_RUNS_PER_WORKFLOW, run),
  },
  async () => {
    await worker.stop();
    await backend.stop();
  },
);
