import { setTimeout as wait } from 'node:timers/promises';

/** For programs that are no test; tests have `test/support/eventually.ts`. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isSo()) return;
    await wait(50);
  }
  throw new Error(`It never came to be so: ${isSo.toString()}`);
}
