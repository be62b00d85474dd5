// Dry run of a workflow's source: real engine, sandbox and reads, on a temporary database. Effects are
// recorded and not sent.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { ArtifactsInMemory } from '#main/engine/artifacts-in-memory.ts';
import { Engine } from '#main/engine/engine.ts';
import { openDataFolder } from '#main/data-folder/data-folder.ts';
import { createStores } from '#main/store/stores.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { CallArguments } from '#shared/api/contract.ts';
import type { Json } from '#shared/json.ts';
import { DRY_RUN_MS } from '#shared/limits.ts';

export interface DryRunResult {
  /** Engine of the temporary database; valid only inside the callback of `dryRun`. */
  readonly engine: Engine;
  readonly workflowId: string;
  readonly warnings: readonly string[];
  readonly isCut: boolean;
}

/** Uses the sandbox, tools, clock and secrets of `hostEngine`. */
export async function dryRun<View>(
  hostEngine: Engine,
  { source, fileName, events }: CallArguments<'workflows.try'>,
  toView: (result: DryRunResult) => View,
): Promise<View> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-try-'));
  const { clock, ids } = hostEngine.context.store;
  const folder = openDataFolder({ dir, clock, ids });
  try {
    const { db, identity, space } = folder;
    const store = { db, clock, ids, deviceId: identity.deviceId, spaceId: space.id };
    const artifacts = new ArtifactsInMemory();
    const stores = createStores(store);
    const engine = new Engine({ ...hostEngine.context, stores, store, artifacts });
    try {
      const path = join(dir, basename(fileName));
      writeFileSync(path, source);
      return toView(await execute(engine, path, events));
    } finally {
      await engine.stop();
    }
  } finally {
    folder.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function execute(
  engine: Engine,
  path: string,
  events: CallArguments<'workflows.try'>['events'],
): Promise<DryRunResult> {
  const { stores } = engine.context;
  stores.settings.set('flags', { sandboxPreview: true });
  const { workflowId, warnings } = await new WorkflowLibrary(engine).add(path);
  const config = stores.workflows.get(workflowId)?.handlerConfig as unknown as Config;
  holdSchedules(engine, workflowId, config);
  for (const [index, { topic, payload }] of events.entries()) {
    publish(engine, workflowId, config, { topic, payload, messageId: `try-${index + 1}` });
  }
  engine.start();
  if (events.length === 0) {
    for (const producer of Object.keys(config.producers)) {
      engine.commands.runNow(workflowId, producer, `try:${producer}`);
    }
  }
  return { engine, workflowId, warnings, isCut: await timedOut(engine) };
}

interface Config {
  readonly topics: readonly string[];
  readonly producers: { readonly [name: string]: { readonly schedule: Json } };
}

/** Disables schedules: each producer runs once, by `runNow`. */
function holdSchedules(engine: Engine, workflowId: string, { producers }: Config): void {
  for (const [producer, { schedule }] of Object.entries(producers)) {
    const row = { workflowId, producer, schedule, nextRunAt: null, lastSlotAt: null };
    engine.context.stores.producerSchedules.set(row);
  }
}

function publish(
  engine: Engine,
  workflowId: string,
  { topics }: Config,
  event: { readonly topic: string; readonly messageId: string; readonly payload: Json },
): void {
  if (!topics.includes(event.topic)) {
    throw new ApiError({
      type: 'not_found',
      message: `The workflow has no topic "${event.topic}". Nothing was run.`,
    });
  }
  const { stores } = engine.context;
  const topic = stores.topics.ensure(workflowId, event.topic);
  const published = stores.events.publish({ ...event, topic, title: event.messageId });
  if (published.type === 'payload_too_large') {
    throw new ApiError({ type: 'too_large', message: published.message });
  }
}

/** Waits until the engine is idle; true if the time limit passed first. */
async function timedOut(engine: Engine): Promise<boolean> {
  const { clock } = engine.context.store;
  let cancelTimer: () => void = () => undefined;
  const timeout = new Promise<true>((resolve) => {
    cancelTimer = clock.wakeAt(clock.now() + DRY_RUN_MS, () => resolve(true));
  });
  try {
    return await Promise.race([timeout, engine.idle().then(() => false)]);
  } finally {
    cancelTimer();
  }
}
