// A small `npm run ingress-load`: real processes, a real client, one kill of the host.
import { expect, it } from 'vitest';
import { isSound, runLoad } from '#test/inputs/load/run-load.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

it('[IG-12] with duplicates and a kill of the host, every input ends once with one effect', async () => {
  const options = { inputs: 160, duplicates: 40, kills: 1, connections: 16, workflows: 4 };
  const totals = await runLoad(tempFolder(), options);
  expect(totals).toMatchObject({ inputs: 160, runs: 160, effects: 160, duplicates: 0, lost: 0 });
  expect(isSound(totals, options) ? null : totals).toBeNull();
}, 180_000);
