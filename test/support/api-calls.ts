// API calls that must succeed or must fail, and valid run events.
import { randomUUID } from 'node:crypto';
import {
  contract,
  type CallInput,
  type CallName,
  type CallOutput,
  type RunView,
} from '#shared/api/contract.ts';
import type { ApiErrorBody, ApiResult } from '#shared/api/errors.ts';
import { runEventKey, type RunEventWrite } from '#shared/run-log.ts';

export type Call = (name: string, input: unknown) => Promise<ApiResult<unknown>>;

/** Makes a call that must succeed; the output is validated against the contract. */
export async function succeed<Name extends CallName>(
  call: Call,
  name: Name,
  input: CallInput<Name>,
): Promise<CallOutput<Name>> {
  const result = await call(name, input);
  if (!result.ok) throw new Error(`${name}: ${result.error.type}: ${result.error.message}`);
  return contract[name].output.parse(result.output) as CallOutput<Name>;
}

/** Makes a call that must fail, and returns the error. */
export async function fail(call: Call, name: string, input: unknown): Promise<ApiErrorBody> {
  const result = await call(name, input);
  if (result.ok) throw new Error(`${name} succeeded: ${JSON.stringify(result.output)}`);
  return result.error;
}

export function runEvent(
  run: Pick<RunView, 'id' | 'workflowId' | 'lane'>,
  spaceId: string,
  more: Partial<RunEventWrite> = {},
): RunEventWrite {
  const event = {
    eventId: randomUUID(),
    eventType: 'step.done',
    emittedAt: '2026-01-02T03:04:05.006Z',
    runId: run.id,
    tenantId: spaceId,
    projectId: run.workflowId,
    environmentId: run.lane,
    planId: 'plan',
    planVersion: '1',
    engineAttemptId: 1,
    logicalAttemptId: 1,
    ...more,
  };
  return { idempotencyKey: runEventKey(event), ...event };
}

/** A new workflow with one active and one ended session. */
export async function makeRuns(call: Call): Promise<{
  readonly workflowId: string;
  readonly spaceId: string;
  readonly active: RunView;
  readonly ended: RunView;
}> {
  const { spaceId } = await succeed(call, 'host.info', {});
  const request = { requestId: randomUUID(), name: 'Runs', code: 'export {};' };
  const { id: workflowId } = await succeed(call, 'workflows.create', request);
  const start = async (startRequestId: string): Promise<RunView> =>
    (await succeed(call, 'runs.start', { workflowId, startRequestId })).run;
  const first = await start('first');
  const end = { runId: first.id, status: 'completed', terminalEventId: 'end-1' } as const;
  const { run: ended } = await succeed(call, 'runs.finish', end);
  return { workflowId, spaceId, ended, active: await start('second') };
}
