import { setTimeout as wait } from 'node:timers/promises';

/** For programs outside tests. Tests use `test/support/eventually.ts`. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isSo()) return;
    await wait(50);
  }
  throw new Error(`Timed out waiting for: ${isSo.toString()}`);
}
