// The baseline: writes the rows of a run with plain statements, in the same transactions, grouped
// like the engine's, with the same POST. Each row is written once, and nothing known is read again.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { groupCommit } from '../../store/group-commit.ts';
import { closeBaseline, openBaseline } from '../../store/both-sides.ts';
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
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import type { JsonObject } from '#shared/json.ts';

export interface BaselineAnswers {
  readonly oneAtATime: OneAtATime;
  readonly atOnce: AtOnce;
  readonly shapes: Shapes;
}

const port = Number(process.argv[2]);
const folder = tempFolderUntilExit('baseline');
const path = join(folder, 'baseline.db');
migrateFile(path);
const sqlite = openBaseline(path);
const post = createPost(port, 'baseline');
const ids = createSystemIds(systemClock);
const inGroup = groupCommit(sqlite);

const insertEvent = sqlite.prepare(
  'INSERT INTO events (id, facts, content, progress) VALUES (?, ?, ?, ?)',
);
const moveEvent = sqlite.prepare('UPDATE events SET progress = ? WHERE id = ? AND status = ?');
const insertReservation = sqlite.prepare(
  'INSERT INTO reservations (event_id, attempt_number, handler_run_id) VALUES (?, 1, ?)',
);
const insertRun = sqlite.prepare(
  'INSERT INTO handler_runs (id, facts, progress, prepare_result) VALUES (?, ?, ?, ?)',
);
const moveRun = sqlite.prepare('UPDATE handler_runs SET progress = ? WHERE id = ? AND phase = ?');
const insertMutation = sqlite.prepare(
  'INSERT INTO mutations (id, facts, call, outcome) VALUES (?, ?, ?, ?)',
);
const moveMutation = sqlite.prepare('UPDATE mutations SET outcome = ? WHERE id = ? AND status = ?');
const accept = sqlite.prepare(
  `UPDATE run_contexts SET last_accepted_seq = last_accepted_seq + 1, updated_at = ?
   WHERE workflow_id = ? AND lane = 'main'`,
);

const text = JSON.stringify;
const idOf = (...parts: readonly string[]): string => hash('sha256', text(parts)).slice(0, 32);
const moved = ({ changes }: { readonly changes: number }): void => {
  if (changes !== 1) throw new Error('A guarded update changed no row.');
};

interface BaselineWorkflow {
  readonly workflowId: string;
  readonly scriptRunId: string;
  readonly foundId: string;
  readonly filedId: string;
  published: number;
}

const workflows = Array.from({ length: WORKFLOWS }, (_, index) => startWorkflow(index));

function startWorkflow(index: number): BaselineWorkflow {
  const workflowId = idOf('workflow', String(index));
  const workflow = {
    workflowId,
    scriptRunId: idOf('script_run', workflowId),
    foundId: idOf('topic', workflowId, 'invoice.found'),
    filedId: idOf('topic', workflowId, 'invoice.filed'),
    published: 0,
  };
  sqlite
    .prepare(
      `INSERT INTO run_contexts (workflow_id, lane, version, active_run_id, updated_at)
       VALUES (?, 'main', 1, ?, 0)`,
    )
    .run(workflowId, workflow.scriptRunId);
  return workflow;
}

async function run(index: number): Promise<void> {
  const workflow = workflows[index] as BaselineWorkflow;
  workflow.published += 1;
  const body = invoice(index, workflow.published);
  const messageId = `message-${workflow.published}`;
  const eventId = idOf('event', workflow.foundId, messageId);
  const title = `Invoice ${workflow.published}`;
  await inGroup(() => publish(workflow, { eventId, messageId, title, payload: body }));
  const runId = ids.ulid();
  const mutationId = idOf('mutation', runId);
  const effectId = idOf('effect', workflow.workflowId, 'file', `${eventId}:1`);

  const startedAt = Date.now();
  let timeline: { readonly [phase: string]: number } = {};
  const entered = (phase: string): { readonly [phase: string]: number } => {
    timeline = { ...timeline, [phase]: Date.now() };
    return timeline;
  };
  await inGroup(() => checkpoint(workflow, { runId, eventId, body, startedAt, entered }));
  await inGroup(() => {
    moved(
      moveRun.run(text({ phase: 'mutating', timeline: entered('mutating') }), runId, 'prepared'),
    );
    insertMutation.run(
      mutationId,
      text({
        handler_run_id: runId,
        workflow_id: workflow.workflowId,
        device_id: 'device-a',
        epoch: 1,
        created_at: Date.now(),
      }),
      text({
        tool_namespace: 'http',
        tool_method: 'post',
        params: { url: `http://127.0.0.1:${port}/effects/baseline`, json: body },
        idempotency_key: effectId,
      }),
      text({ status: 'in_flight', updated_at: Date.now() }),
    );
  }, true);
  const result = await post(effectId, body);
  await inGroup(() => {
    const outcome = { status: 'applied', updated_at: Date.now(), result };
    moved(moveMutation.run(text(outcome), mutationId, 'in_flight'));
    moved(moveRun.run(text({ phase: 'mutated', timeline: entered('mutated') }), runId, 'mutating'));
  });
  await inGroup(() => finish(workflow, { runId, eventId, messageId, result, entered }));
}

function publish(
  workflow: BaselineWorkflow,
  {
    eventId,
    messageId,
    title,
    payload,
  }: {
    readonly eventId: string;
    readonly messageId: string;
    readonly title: string;
    readonly payload: JsonObject;
  },
): void {
  const now = Date.now();
  insertEvent.run(
    eventId,
    text({
      topic_id: workflow.foundId,
      workflow_id: workflow.workflowId,
      message_id: messageId,
      created_at: now,
    }),
    text({ title, payload }),
    text({ status: 'pending', attempt_number: 1, updated_at: now }),
  );
}

type Entered = (phase: string) => { readonly [phase: string]: number };

function checkpoint(
  workflow: BaselineWorkflow,
  given: {
    readonly runId: string;
    readonly eventId: string;
    readonly body: JsonObject;
    readonly startedAt: number;
    readonly entered: Entered;
  },
): void {
  const { runId, eventId } = given;
  moved(accept.run(Date.now(), workflow.workflowId));
  insertRun.run(
    runId,
    text({
      script_run_id: workflow.scriptRunId,
      workflow_id: workflow.workflowId,
      handler_type: 'consumer',
      handler_name: 'file',
      input_state: null,
      device_id: 'device-a',
      epoch: 1,
      start_timestamp: new Date(given.startedAt).toISOString(),
    }),
    text({ phase: 'prepared', timeline: given.entered('prepared') }),
    text({
      reservations: [{ eventId, attempt: 1, topic: 'invoice.found' }],
      data: given.body,
      ui: { title: 'File it' },
      wakeAt: null,
    }),
  );
  moved(moveEvent.run(eventProgress('reserved', runId), eventId, 'pending'));
  insertReservation.run(eventId, runId);
}

function finish(
  workflow: BaselineWorkflow,
  given: {
    readonly runId: string;
    readonly eventId: string;
    readonly messageId: string;
    readonly result: JsonObject;
    readonly entered: Entered;
  },
): void {
  const { runId, eventId, messageId } = given;
  moved(accept.run(Date.now(), workflow.workflowId));
  const now = Date.now();
  insertEvent.run(
    idOf('event', workflow.filedId, messageId),
    text({
      topic_id: workflow.filedId,
      workflow_id: workflow.workflowId,
      message_id: messageId,
      created_by_run_id: runId,
      depth: 1,
      created_at: now,
    }),
    text({ title: 'Filed', payload: { number: (given.result['json'] as JsonObject)['number'] } }),
    text({ status: 'pending', attempt_number: 1, updated_at: now }),
  );
  moved(moveEvent.run(eventProgress('consumed', runId), eventId, 'reserved'));
  // A trigger of the table requires this phase before the end of a run.
  moved(
    moveRun.run(text({ phase: 'emitting', timeline: given.entered('emitting') }), runId, 'mutated'),
  );
  const end = { output_state: null, end_timestamp: new Date(now).toISOString() };
  const progress = { phase: 'committed', ...end, timeline: given.entered('committed') };
  moved(moveRun.run(text(progress), runId, 'emitting'));
}

function eventProgress(status: string, runId: string): string {
  return text({
    status,
    attempt_number: 1,
    reserved_by_run_id: runId,
    updated_at: Date.now(),
  });
}

serveSide(
  {
    oneAtATime: () => oneAtATime(RUNS_ONE_AT_A_TIME, run, null),
    atOnce: () => atOnce(RUNS_PER_WORKFLOW, run),
    shapes: () => shapesOf((sql) => sqlite.prepare(sql).get()),
  },
  () => closeBaseline(sqlite),
);
