// Ended inputs, and the retention that archives them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSilentLog } from '#main/host/log.ts';
import { readArchive } from '#test/support/read-archive.ts';
import { Retention } from '#main/upkeep/retention.ts';
import type { OpenStore } from '#test/support/open-store.ts';
import { POSTER } from '#test/support/start-engine.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export const DAY = 24 * 60 * 60 * 1000;

export interface RetentionUnderTest {
  readonly retention: Retention;
  readonly archive: string;
  readonly lines: () => ReturnType<typeof readArchive>;
}

export function retentionOf({ under: { store }, artifacts }: InputsUnderTest): RetentionUnderTest {
  const dataDir = tempFolder();
  const retention = new Retention({
    store: store.context,
    stores: store,
    log: createSilentLog(),
    dataDir,
    peers: () => [],
    sweepArtifacts: (referenced, olderThan) => artifacts.sweep(referenced, olderThan),
  });
  retention.choose(1);
  const archive = join(dataDir, 'archive');
  return {
    retention,
    archive,
    lines: () => readdirSync(archive).flatMap((name) => readArchive(join(archive, name))),
  };
}

/** Three inputs that succeeded, and whose published events are skipped. */
export async function withInputs(): Promise<
  InputsUnderTest & { workflowId: string; ids: string[] }
> {
  const inputs = startInputs();
  const { store } = inputs.under;
  const workflowId = await inputs.under.add(POSTER);
  const ids: string[] = [];
  for (const n of [1, 2, 3]) {
    ids.push(await inputs.start(workflowId, { n, password: 'hunter2' }));
    await inputs.pass(1000);
  }
  skipUnfinishedEvents(store, workflowId);
  await inputs.pass(60_000);
  return { ...inputs, workflowId, ids };
}

export function skipUnfinishedEvents(store: OpenStore, workflowId: string): void {
  for (const id of store.events.unfinished(workflowId)) {
    store.events.move(id, { type: 'skip', reason: 'by_person' });
  }
}
