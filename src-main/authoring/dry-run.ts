// A dry run of a workflow's text: the real engine, the real sandbox and real reads, on a database
// that is thrown away. Mutations are recorded and shown; nothing is sent.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { Engine } from '#main/engine/engine.ts';
import { openDataFolder } from '#main/data-folder/data-folder.ts';
import { createStores } from '#main/store/stores.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { CallArguments } from '#shared/api/contract.ts';
import type { Json } from '#shared/json.ts';
import { DRY_RUN_MS } from '#shared/limits.ts';

export interface Tried {
  /** Of the throw-away database: to be looked at before `dryRun` comes to its end. */
  readonly engine: Engine;
  readonly workflowId: string;
  readonly warnings: readonly string[];
  readonly isCut: boolean;
}

/** `real`: the engine of the host, whose sandbox, tools, clock and secrets are used. */
export async function dryRun<Report>(
  real: Engine,
  { source, fileName, events }: CallArguments<'workflows.try'>,
  report: (tried: Tried) => Report,
): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-try-'));
  const { clock, ids } = real.context.store;
  const folder = openDataFolder({ dir, clock, ids });
  try {
    const { db, identity, space } = folder;
    const store = { db, clock, ids, deviceId: identity.deviceId, spaceId: space.id };
    const engine = new Engine({ ...real.context, stores: createStores(store), store });
    try {
      const path = join(dir, basename(fileName));
      writeFileSync(path, source);
      return report(await tryOut(engine, path, events));
    } finally {
      await engine.stop();
    }
  } finally {
    folder.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function tryOut(
  engine: Engine,
  path: string,
  events: CallArguments<'workflows.try'>['events'],
): Promise<Tried> {
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
  return { engine, workflowId, warnings, isCut: await wasCut(engine) };
}

interface Config {
  readonly topics: readonly string[];
  readonly producers: { readonly [name: string]: { readonly schedule: Json } };
}

/** Each producer runs once, when it is asked to: here no time has come for any. */
function holdSchedules(engine: Engine, workflowId: string, { producers }: Config): void {
  for (const [producer, { schedule }] of Object.entries(producers)) {
    const held = { workflowId, producer, schedule, nextRunAt: null, lastSlotAt: null };
    engine.context.stores.producerSchedules.set(held);
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
      message: `This workflow has no topic "${event.topic}". Nothing was tried.`,
    });
  }
  const { stores } = engine.context;
  const topic = stores.topics.ensure(workflowId, event.topic);
  const published = stores.events.publish({ ...event, topic, title: event.messageId });
  if (published.type === 'payload_too_large') {
    throw new ApiError({ type: 'too_large', message: published.message });
  }
}

async function wasCut(engine: Engine): Promise<boolean> {
  const { clock } = engine.context.store;
  let callOff: () => void = () => undefined;
  const late = new Promise<true>((resolve) => {
    callOff = clock.wakeAt(clock.now() + DRY_RUN_MS, () => resolve(true));
  });
  try {
    return await Promise.race([late, engine.idle().then(() => false)]);
  } finally {
    callOff();
  }
}
