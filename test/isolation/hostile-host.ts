// A real host with three workflows, and rows that a peer sends it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { mergeFrame } from '#main/sync/changes/apply.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';
import { topicId } from '#shared/ids.ts';
import { frameOfRows, hostileVariants, templatesOf } from '#test/isolation/hostile-rows.ts';
import { succeed } from '#test/support/api-calls.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

const ECHO = (name: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: '${name}',
  topics: ['in', 'out'],
  consumers: {
    echo: {
      subscribes: 'in',
      publishes: ['out'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : { reservations: [] };
      },
      async next(ctx, prepared) {
        const { messageId } = prepared.reservations[0];
        await ctx.publish('out', { id: messageId, title: messageId, payload: prepared.data });
      },
    },
  },
});
`;

export const NAMES = ['healthy-one', 'victim', 'healthy-two'] as const;

export interface Started {
  readonly host: Host;
  readonly ids: readonly string[];
  readonly errors: unknown[];
  pass(ms: number): Promise<void>;
  restart(): Promise<Started>;
}

export async function start(): Promise<Started> {
  const [dataDir, folder] = [tempFolder(), tempFolder()];
  const clock = createVirtualClock();
  const started = open(dataDir, clock);
  for (const name of NAMES) {
    const path = join(folder, `${name}.ts`);
    writeFileSync(path, ECHO(name));
    await succeed(started.host.dispatch, 'workflows.add', { path });
  }
  return { ...started, ids: idsOf(started.host) };
}

function open(dataDir: string, clock: ReturnType<typeof createVirtualClock>): Started {
  const errors: unknown[] = [];
  const createLog = (): ReturnType<typeof createSilentLog> => {
    const log = createSilentLog();
    log.error = (...told: unknown[]) => errors.push(told);
    return log;
  };
  const sandbox = sharedSandbox();
  const host = createHost({ dataDir, createLog, clock, sandbox, turnWaitMs: 0, links: {} });
  onTestFinished(() => host.close());
  return {
    host,
    errors,
    ids: idsOf(host),
    pass: async (ms) => {
      await clock.advance(ms);
      await quiet(host);
    },
    restart: async () => {
      await host.close();
      return open(dataDir, clock);
    },
  };
}

function idsOf({ stores }: Host): string[] {
  return NAMES.flatMap((name) => stores.workflows.named(name).map(({ id }) => id));
}

async function quiet(host: Host): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await host.engine.idle();
  }
}

export function merge({ host }: Pick<Started, 'host'>, frame: Buffer): void {
  const { db } = host.folder;
  const { peerCursors: cursors, refusedRows } = host.stores;
  const context = { db, schema: readSyncSchema(db), cursors, refusedRows };
  mergeFrame(context, { id: 'peer', lineage: 'one' }, frame);
}

/** False if no database takes the row: its columns are typed. A peer can't have such a row either. */
function isMerged(started: Started, frame: Buffer): boolean {
  try {
    merge(started, frame);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.name === 'cannot-merge') return false;
    throw error;
  }
}

function versionOf({ host }: Started): number {
  return host.stores.peerCursors.get('peer')?.version ?? 0;
}

let published = 0;

/** The other workflows process an event each. */
export async function othersRun({ host, ids, pass }: Started): Promise<void> {
  published += 1;
  const message = `message-${published}`;
  const healthy = [ids[0], ids[2]] as [string, string];
  for (const workflowId of healthy) {
    const event = { workflowId, topic: 'in', messageId: message, title: 't', payload: 1 };
    await succeed(host.dispatch, 'events.publish', event);
  }
  await pass(1000);
  for (const workflowId of healthy) {
    const { events } = await succeed(host.dispatch, 'events.list', { workflowId, topic: 'out' });
    expect(events.map(({ messageId }) => messageId)).toContain(message);
  }
}

/**
 * Merges hostile rows of a table about the second workflow: all, or one in `every`. Returns how many
 * were merged.
 */
export function mergeHostile(
  started: Started,
  table: string,
  every = 1,
): { merged: number; sent: number } {
  const [, victim = ''] = started.ids;
  const template = templatesOf(victim, topicId(victim, 'in'))[table];
  if (!template) throw new Error(`No template of ${table}.`);
  const variants = Object.keys(template.columns).length === 0 ? [{}] : hostileVariants(template);
  const rows = variants
    .map((columns, n) => ({ key: template.key(n), columns }))
    .filter((_, n) => n % every === 0);
  const { db } = started.host.folder;
  const merged = rows.filter((row) =>
    isMerged(started, frameOfRows(db, table, [row], versionOf(started))),
  );
  return { merged: merged.length, sent: rows.length };
}
