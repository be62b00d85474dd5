// Pairing by six digits in the terminal: both devices show them, both people answer.
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostCalls } from '#main/cli/host-client.ts';
import { oneLine, printLine } from '#main/cli/print.ts';
import type { ComparisonView } from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';
import { parseAddress } from '#shared/sync/address.ts';

const LOOK_AGAIN_MS = 300;

export async function waitForComparison(host: HostCalls): Promise<void> {
  await host.call('devices.compare.open', {});
  const { comparison: before } = await host.call('devices.compare.get', {});
  printLine('Waiting for ten minutes. On the other device, run: holdfast pair --with NAME');
  for (;;) {
    const { comparison, isWaiting } = await host.call('devices.compare.get', {});
    const isNew = comparison !== null && comparison.id !== before?.id;
    if (isNew && comparison.status === 'comparing') return finish(host, comparison);
    // Somebody else may answer for this device: in the window.
    if (isNew && comparison.status === 'paired') return tellPaired(comparison);
    if (!isWaiting && !(isNew && comparison.failure === null)) {
      throw new ApiError({ type: 'conflict', message: 'Nobody came. Nothing was changed.' });
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

export async function compareWith(host: HostCalls, whom: string): Promise<void> {
  const addresses = parseAddress(whom) ? [whom] : await addressesNearby(host, whom);
  await finish(host, await host.call('devices.compare.start', { addresses }));
}

async function addressesNearby(host: HostCalls, name: string): Promise<string[]> {
  const { devices } = await host.call('devices.nearby', {});
  const fitting = devices.filter((device) => device.name === name || device.deviceId === name);
  const [only] = fitting;
  if (only && fitting.length === 1) return only.addresses;
  const seen = devices.map((device) => oneLine(device.name)).join(', ') || 'none';
  throw new ApiError({
    type: 'not_found',
    message: `${only ? 'More than one device nearby is' : 'No device nearby is'} called "${name}" (seen: ${seen}). Nothing was done. Begin there with "holdfast pair --nearby", or say its address.`,
  });
}

async function finish(host: HostCalls, { id, digits, name }: ComparisonView): Promise<void> {
  const shown = `${digits?.slice(0, 3)} ${digits?.slice(3)}`;
  printLine(`\n  ${shown}\n`);
  const isSame = await ask(`Does "${oneLine(name ?? '')}" show the same digits? [y/N] `);
  const call = isSame ? 'devices.compare.confirm' : 'devices.compare.reject';
  let comparison = await host.call(call, { comparisonId: id });
  if (comparison.status === 'confirmed') printLine('Waiting for the other device …');
  while (comparison.status === 'confirmed') {
    await sleep(LOOK_AGAIN_MS);
    const now = await host.call('devices.compare.get', {});
    if (now.comparison?.id !== id) break;
    ({ comparison } = now);
  }
  if (comparison.status === 'paired') return tellPaired(comparison);
  const { failure } = comparison;
  throw new ApiError({
    type: 'conflict',
    message: failure?.message ?? 'The comparison was ended. Nothing was changed.',
    ...(failure ? { reason: failure.name } : {}),
  });
}

function tellPaired({ name }: ComparisonView): void {
  printLine(`This device is paired with "${oneLine(name ?? '')}".`);
}

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
