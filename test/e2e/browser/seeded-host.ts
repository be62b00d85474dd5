// A host with existing history: created, stopped, seeded and restarted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { seedHistory } from '#test/support/seed-history.ts';

interface SeededHost {
  readonly folder: string;
  readonly host: HostProcess;
  /** Stops the host and removes its files. */
  remove(): Promise<void>;
}

export async function startSeededHost(
  amounts: Parameters<typeof seedHistory>[1],
): Promise<SeededHost> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-seeded-'));
  const data = join(folder, 'data');
  await (await startHost(data)).kill();
  seedHistory(join(data, 'holdfast.db'), amounts);
  const host = await startHost(data);
  return {
    folder,
    host,
    async remove() {
      await host.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
