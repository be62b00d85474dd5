// Time to settle on a device that is not the owner: decided there, carried out by the owner, and
// visible again where it was decided. Two whole hosts over TLS.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSide } from '../engine/side.ts';
import { amount, median, percentile, type Figure } from '../harness.ts';
import type { DeviceAnswers } from './sides/settling-host.ts';

const ROUNDS = 3;
const SETTLED_PER_ROUND = 20;
const MAX_SETTLED_MS = 250;

export async function remoteSettle(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-settle-'));
  // Closes the connection without an answer, so that every outcome is unknown.
  const outside = createServer((request) => {
    request.resume().on('end', () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const file = new URL('./sides/settling-host.ts', import.meta.url);
  const port = String((outside.address() as AddressInfo).port);
  const owner = await startSide<DeviceAnswers>(file, ['own', folder, port]);
  try {
    const helper = await startSide<DeviceAnswers>(file, ['help', folder, await owner.ask('link')]);
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const settled: number[] = [];
      for (let index = 0; index < SETTLED_PER_ROUND; index += 1) {
        await owner.ask('act');
        settled.push(await helper.ask('settle'));
      }
      rounds.push(settled);
    }
    await helper.end();
    const percentileOf = (percent: number): number =>
      median(rounds.map((settled) => percentile(settled, percent)));
    return [
      amount('settled_elsewhere_p50', percentileOf(50), 'ms', null),
      amount('settled_elsewhere_p95', percentileOf(95), 'ms', MAX_SETTLED_MS),
    ];
  } finally {
    await owner.end();
    outside.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
