// Power taken away in the middle of writing: kill -9, twenty times, on one file.
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { openStore } from '#test/support/open-store.ts';
import { exitOf, startNode } from '#test/support/child-processes.ts';

const KILLS = 20;
const APPENDS = 1000;

describe('kill -9 in the middle of 1,000 appends', () => {
  it('[RL-10] leaves no gap, no duplicate, nothing told and lost, and a sound file', async () => {
    const { path, db } = openStore();
    db.close();
    for (let round = 0; round < KILLS; round += 1) {
      // Somewhere in the middle, each time elsewhere, decided by what the process told.
      const killAfter = 20 + ((round * 137) % 600);
      const told = await appendAndKill(path, `run-${round}`, killAfter);
      expect(told.length).toBeGreaterThanOrEqual(killAfter);
      expect(told.length).toBeLessThan(APPENDS);

      const reopened = new Database(path);
      const seqs = reopened
        .all<{ run_seq: number }>(
          'SELECT run_seq FROM run_events WHERE run_id = ? ORDER BY run_seq',
          `run-${round}`,
        )
        .map((row) => row.run_seq);
      expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
      // What was told to be written is there.
      expect(seqs.length).toBeGreaterThanOrEqual(told.length);
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
  const told: string[] = [];
  const exited = exitOf(child);
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    if (told.length === killAfter) child.kill('SIGKILL');
  }
  expect(await exited).toBeNull();
  return told;
}
