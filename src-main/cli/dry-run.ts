// A dry run of a workflow file: the real engine, the real sandbox and real reads, in a data folder
// that is thrown away. Mutations are recorded and shown; nothing is sent.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export interface TriedEvent {
  readonly topic: string;
  readonly payload: Json;
}

export interface DryRun {
  readonly name: string;
  readonly warnings: readonly string[];
  /** In the order in which they began; at most a page of them. */
  readonly runs: readonly HandlerRunDetail[];
  /** Events that nothing took. */
  readonly pending: readonly { readonly name: string; readonly pending: number }[];
}

/** `secretsDir`: the data folder whose secrets reads may use. */
export async function dryRun(
  path: string,
  events: readonly TriedEvent[],
  secretsDir: string,
): Promise<DryRun> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-try-'));
  try {
    const host = createHost({
      dataDir,
      secretsDir,
      createLog: createSilentLog,
      runsWorkflows: false,
    });
    try {
      return await tryOut(host, path, events);
    } finally {
      await host.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function tryOut(host: Host, path: string, events: readonly TriedEvent[]): Promise<DryRun> {
  host.stores.settings.set('flags', { sandboxPreview: true });
  const { workflowId, warnings } = await call(host, 'workflows.add', { path });
  const producers = holdSchedules(host, workflowId);
  for (const [index, { topic, payload }] of events.entries()) {
    const messageId = `try-${index + 1}`;
    const event = { workflowId, topic, messageId, title: messageId, payload };
    await call(host, 'events.publish', event);
  }
  host.engine.start();
  if (events.length === 0) {
    for (const producer of producers) host.engine.runNow(workflowId, producer, `try:${producer}`);
  }
  await host.engine.idle();
  return report(host, workflowId, warnings);
}

/** Each producer runs once, when it is asked to: here no time has come for any. */
function holdSchedules({ stores }: Host, workflowId: string): string[] {
  const scripted = stores.workflows.get(workflowId)?.handlerConfig as {
    readonly producers: { readonly [name: string]: { readonly schedule: Json } };
  };
  for (const [producer, { schedule }] of Object.entries(scripted.producers)) {
    const held = { workflowId, producer, schedule, nextRunAt: null, lastSlotAt: null };
    stores.producerSchedules.set(held);
  }
  return Object.keys(scripted.producers);
}

async function report(
  host: Host,
  workflowId: string,
  warnings: readonly string[],
): Promise<DryRun> {
  const { name, topics } = await call(host, 'workflows.get', { workflowId });
  const { runs } = await call(host, 'handlerRuns.list', { workflowId, limit: MAX_PAGE_SIZE });
  const details: HandlerRunDetail[] = [];
  for (const { id } of runs.toReversed()) {
    details.push(await call(host, 'handlerRuns.get', { handlerRunId: id }));
  }
  return { name, warnings, runs: details, pending: topics.filter(({ pending }) => pending > 0) };
}

async function call<Name extends CallName>(
  host: Host,
  name: Name,
  input: CallInput<Name>,
): Promise<CallOutput<Name>> {
  const result = await host.dispatch(name, input);
  if (result.ok) return result.output as CallOutput<Name>;
  throw new ApiError(result.error);
}
