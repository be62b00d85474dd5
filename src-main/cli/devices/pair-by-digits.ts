// Pairing by comparing six digits: both devices show them, and a person confirms on each.
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostClient } from '#main/cli/host-client.ts';
import { oneLine, printLine } from '#main/cli/print.ts';
import type { ComparisonView } from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';
import { parseAddress } from '#shared/sync/address.ts';

const POLL_MS = 300;

export async function waitForComparison(host: HostClient): Promise<void> {
  await host.call('devices.compare.open', {});
  const { comparison: before } = await host.call('devices.compare.get', {});
  printLine('Waiting for up to ten minutes. On the other device, run: holdfast pair --with NAME');
  for (;;) {
    const { comparison, isWaiting } = await host.call('devices.compare.get', {});
    const isNew = comparison !== null && comparison.id !== before?.id;
    if (isNew && comparison.status === 'comparing') return finish(host, comparison);
    // Someone may have confirmed it in the window.
    if (isNew && comparison.status === 'paired') return printPaired(comparison);
    if (!isWaiting && !(isNew && comparison.failure === null)) {
      throw new ApiError({
        type: 'conflict',
        message: 'No device connected in time. Nothing was changed. Try again.',
      });
    }
    await sleep(POLL_MS);
  }
}

export async function compareWith(host: HostClient, nameOrAddress: string): Promise<void> {
  const addresses = parseAddress(nameOrAddress)
    ? [nameOrAddress]
    : await addressesNearby(host, nameOrAddress);
  await finish(host, await host.call('devices.compare.start', { addresses }));
}

async function addressesNearby(host: HostClient, name: string): Promise<string[]> {
  const { devices } = await host.call('devices.nearby', {});
  const matches = devices.filter((device) => device.name === name || device.deviceId === name);
  const [only] = matches;
  if (only && matches.length === 1) return only.addresses;
  const found = devices.map((device) => oneLine(device.name)).join(', ') || 'none';
  throw new ApiError({
    type: 'not_found',
    message: `${only ? 'More than one device nearby is' : 'No device nearby is'} called "${name}" (found: ${found}). Nothing was changed. Run "holdfast pair --nearby" on that device first, or use its address.`,
  });
}

async function finish(host: HostClient, { id, digits, name }: ComparisonView): Promise<void> {
  const shown = `${digits?.slice(0, 3)} ${digits?.slice(3)}`;
  printLine(`\n  ${shown}\n`);
  const isSame = await askYesNo(`Does "${oneLine(name ?? '')}" show the same digits? [y/N] `);
  const call = isSame ? 'devices.compare.confirm' : 'devices.compare.reject';
  let comparison = await host.call(call, { comparisonId: id });
  if (comparison.status === 'confirmed') printLine('Waiting for the other device …');
  while (comparison.status === 'confirmed') {
    await sleep(POLL_MS);
    const now = await host.call('devices.compare.get', {});
    if (now.comparison?.id !== id) break;
    ({ comparison } = now);
  }
  if (comparison.status === 'paired') return printPaired(comparison);
  const { failure } = comparison;
  throw new ApiError({
    type: 'conflict',
    message: failure?.message ?? 'The comparison was canceled. Nothing was changed.',
    ...(failure ? { reason: failure.name } : {}),
  });
}

function printPaired({ name }: ComparisonView): void {
  printLine(`Paired with "${oneLine(name ?? '')}".`);
}

async function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
