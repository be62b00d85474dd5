// Two hosts in their own network namespace, isolated from other mDNS devices. They find each other, pair,
// link, and find each other again after an address change; each step prints a JSON line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-nearby-'));
const start = (name: string): Host =>
  createHost({
    dataDir: join(folder, name),
    createLog: createSilentLog,
    links: { host: '0.0.0.0', port: 0 },
  });

async function call<Name extends CallName>(
  host: Host,
  name: Name,
  input: CallInput<Name>,
): Promise<CallOutput<Name>> {
  const result = await host.dispatch(name, input);
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.output as CallOutput<Name>;
}

const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const [desk, laptop] = [start('desk'), start('laptop')];
try {
  await call(desk, 'devices.rename', { name: 'Desk' });
  say({ before: (await call(laptop, 'devices.nearby', {})).devices });
  await call(desk, 'devices.compare.open', {});
  const found = await until(async () => {
    const { devices } = await call(laptop, 'devices.nearby', {});
    return devices.find(({ isWaiting }) => isWaiting);
  });
  say({ found, deskId: desk.folder.identity.deviceId });
  const { id } = await call(laptop, 'devices.compare.start', { addresses: found.addresses });
  await call(laptop, 'devices.compare.confirm', { comparisonId: id });
  const { comparison } = await call(desk, 'devices.compare.get', {});
  await call(desk, 'devices.compare.confirm', { comparisonId: comparison?.id as string });
  await until(async () => laptop.links.isLinked(found.deviceId) || undefined);
  say({ linked: true });
  // With an outdated address, the peer is found again by mDNS.
  laptop.folder.db.run(`UPDATE peers SET addresses = '["192.0.2.77:9"]'`);
  await laptop.close();
  const again = start('laptop');
  try {
    await until(async () => again.links.isLinked(found.deviceId) || undefined);
    const { devices } = await call(again, 'devices.list', {});
    say({ foundAgain: devices.find(({ state }) => state === 'linked')?.addresses });
  } finally {
    await again.close();
  }
} finally {
  await laptop.close();
  await desk.close();
  rmSync(folder, { recursive: true, force: true });
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
