// Kills a process twenty times while it appends to the run log of one database.
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { openStore } from '#test/support/open-store.ts';
import { exitOf, startNode } from '#test/support/child-processes.ts';

const KILLS = 20;
/** More than a process makes before it is killed, however late the kill comes. */
const APPENDS = 50_000;

describe('kill -9 in the middle of appends', () => {
  it('[RL-10] leaves sequence numbers without gap or duplicate, loses no acknowledged event, and passes integrity_check', async () => {
    const { path, db } = openStore();
    db.close();
    for (let round = 0; round < KILLS; round += 1) {
      // After another number of acknowledged events in each round.
      const killAfter = 20 + ((round * 137) % 600);
      const acknowledged = await appendAndKill(path, `run-${round}`, killAfter);
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);
      expect(acknowledged.length).toBeLessThan(APPENDS);

      const reopened = new Database(path);
      const seqs = reopened
        .all<{ run_seq: number }>(
          'SELECT run_seq FROM run_events WHERE run_id = ? ORDER BY run_seq',
          `run-${round}`,
        )
        .map((row) => row.run_seq);
      expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
      // Every acknowledged event is stored.
      expect(seqs.length).toBeGreaterThanOrEqual(acknowledged.length);
      expect(reopened.pragma('integrity_check')).toBe('ok');
      reopened.close();
    }
  }, 120_000);
});

async function appendAndKill(path: string, runId: string, killAfter: number): Promise<string[]> {
  const child = startNode('test/support/workers/append-events.ts', [
    path,
    runId,
    'e',
    String(APPENDS),
  ]);
  const acknowledged: string[] = [];
  const exited = exitOf(child);
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === killAfter) child.kill('SIGKILL');
  }
  expect(await exited).toBeNull();
  return acknowledged;
}
