// Runs a script of the registry as an effect. The effect id is the idempotency key of its job, and the
// job's record proves the outcome, so a script never runs twice for one effect. The effect is applied
// once the script ran, with any exit code; `next` gets its status and exit code.
import { z } from 'zod';
import { isRefusal, type Refusal } from '#main/runner/refusal.ts';
import type { Runner } from '#main/runner/runner.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { costOfScript } from '#main/tools/runner/cost.ts';
import { verdictOf, type Verdict } from '#main/tools/runner/verdict.ts';
import type {
  MutationContext,
  MutationMethod,
  MutationOutcome,
  ReconcileOutcome,
  Tool,
  ToolFailure,
} from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import { LogParser } from '#shared/runner/log-text.ts';

/** Separates the idempotency keys of workflows from those of people. */
const REQUESTED_BY = 'workflow';
/** The end of the output that `next` gets. The log has all of it. */
const TAIL_BYTES = 16 * 1024;

const name = z.string().min(1).max(64);

const params = z.strictObject({
  script: name,
  repo: name,
  args: z.record(z.string().max(64), z.union([z.string(), z.number(), z.boolean()])).default({}),
  timeoutSeconds: z.number().positive().max(86_400).optional(),
});
type Params = z.infer<typeof params>;

const grant = z
  .strictObject({ scripts: z.array(name).min(1).max(200) })
  .meta({ examples: [{ scripts: ['backup'] }] });
type Grant = z.infer<typeof grant>;

export function createRunnerTool(runner: Runner): Tool {
  const run: MutationMethod<Params, Grant> = {
    kind: 'mutation',
    params: params.describe('Runs a script of the registry and waits for its end.'),
    describe: ({ script, repo }) => `Run the script "${script}" in ${repo}`,
    check: ({ scripts }, { script }) =>
      scripts.includes(script)
        ? null
        : {
            errorType: 'permission',
            error: `This workflow may not run the script "${script}". Nothing was started. To allow it, grant "runner" with this script.`,
          },
    costOf: (_grant, { script }, result) =>
      costOfScript(runner.queue.registry.read().registry?.scripts[script]?.cost, result),
    howToCheck: ({ script }) => `Check the jobs of "${script}" and the files it works on.`,
    call: async (context, asked) => start(runner, asked, context),
    reconcile: async ({ effectId, sentAt, signal }) => check(runner, effectId, sentAt, signal),
  };
  return {
    namespace: 'runner',
    isOfThisDevice: true,
    grant,
    narrow: (one, other) => {
      const allowed = (other as Grant).scripts;
      const scripts = (one as Grant).scripts.filter((script) => allowed.includes(script));
      return scripts.length === 0 ? null : { scripts };
    },
    describeGrant: (given) => `may run ${(given as Grant).scripts.join(', ')}`,
    methods: { run },
  };
}

async function start(
  runner: Runner,
  asked: Params,
  { effectId, signal, maySend }: MutationContext,
): Promise<MutationOutcome> {
  const { queue, config } = runner;
  if (!config.isEnabled) return { type: 'failed', ...DISABLED };
  const heldBack = maySend();
  if (heldBack) return { type: 'not_sent', ...heldBack };
  const enqueued = queue.enqueue(
    {
      requestedBy: REQUESTED_BY,
      idempotencyKey: effectId,
      scriptKey: asked.script,
      repoKey: asked.repo,
      args: asked.args,
      timeoutSeconds: asked.timeoutSeconds,
    },
    // A job that never ran may be replaced by a new one.
    (job) => verdictOf(job, queue.jobs.events(job.id)).type !== 'ran',
  );
  if (isRefusal(enqueued)) return refused(enqueued);
  const job = await queue.whenEnded(enqueued.job.id, signal);
  if (!('finishedAt' in job.state)) {
    return { type: 'ambiguous', error: `The script "${asked.script}" is still running.` };
  }
  const verdict = verdictOf(job, queue.jobs.events(job.id));
  switch (verdict.type) {
    case 'ran':
      return { type: 'applied', result: await resultOf(runner, job) };
    case 'never_ran':
      return { type: 'failed', ...neverRan(job, verdict) };
    case 'unknown':
      return { type: 'ambiguous', error: verdict.error };
  }
}

async function check(
  runner: Runner,
  effectId: string,
  sentAt: number,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  const { queue, config, recordsSince } = runner;
  const known = queue.jobs.ofKey(REQUESTED_BY, effectId);
  if (!known && sentAt < recordsSince) {
    const error = 'Jobs from that time are missing, because this data was restored from a backup.';
    return { type: 'unknown', error, isFinal: true };
  }
  if (!known) return NEVER_RAN;
  // The runner is off, so the job would stay queued forever.
  if (!config.isEnabled && known.state.status === 'queued') queue.cancel(known.id);
  const job = await queue.whenEnded(known.id, signal);
  if (!('finishedAt' in job.state)) {
    return { type: 'unknown', error: `The job ${job.id} has not ended.` };
  }
  const verdict = verdictOf(job, queue.jobs.events(job.id));
  switch (verdict.type) {
    case 'ran':
      return { type: 'happened', result: await resultOf(runner, job) };
    case 'never_ran':
      return NEVER_RAN;
    case 'unknown':
      // The record will not change.
      return { type: 'unknown', error: verdict.error, isFinal: true };
  }
}

/** The record of the job is in the same database, so nothing is under way that it doesn't show. */
const NEVER_RAN = { type: 'not_there', windowMs: 0 } as const;

const DISABLED: ToolFailure = {
  errorType: 'permission',
  error:
    'The runner is off on this device. Nothing was started. To run scripts here, start Holdfast with RUNNER_ENABLED=true.',
};

function refused(refusal: Refusal): MutationOutcome {
  if (refusal.retryAfterSeconds === undefined) {
    return { type: 'failed', errorType: 'logic', error: refusal.message };
  }
  const retryAfterMs = refusal.retryAfterSeconds * 1000;
  return { type: 'not_sent', errorType: 'network', error: refusal.message, retryAfterMs };
}

function neverRan(job: RunnerJob, { why }: Extract<Verdict, { type: 'never_ran' }>): ToolFailure {
  const reason = 'reason' in job.state ? job.state.reason : undefined;
  const errorType = reason === 'host_stopped' ? 'network' : 'logic';
  return { errorType, error: `The script "${job.scriptKey}" did not run. ${why}` };
}

async function resultOf({ queue }: Runner, job: RunnerJob): Promise<Json> {
  const { state } = job;
  const offset = Math.max(0, job.logBytes - TAIL_BYTES);
  const part = await queue.readLog(job.id, { offset, limit: TAIL_BYTES });
  const pieces = isRefusal(part) ? [] : new LogParser().push(part.data);
  return {
    jobId: job.id,
    status: state.status,
    exitCode: ('exitCode' in state ? state.exitCode : null) ?? null,
    signal: job.exitSignal,
    reason: ('reason' in state ? state.reason : null) ?? null,
    tail: pieces
      .filter(({ source }) => source !== 'holdfast')
      .map(({ text }) => text)
      .join(''),
  };
}
