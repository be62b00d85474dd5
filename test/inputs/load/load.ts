// `npm run ingress-load [-- --inputs N] [-- --kills N] [-- --json]`: 10,000 webhooks, a fifth of them
// duplicates, three kills of the host. Exits 1 unless every input exists once, has ended, and
// had its effect exactly once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isSound, runLoad } from '#test/inputs/load/run-load.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '8000' },
    duplicates: { type: 'string' },
    kills: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs);
const options = {
  inputs,
  duplicates: Number(values.duplicates ?? inputs / 4),
  kills: Number(values.kills),
  connections: Number(values.connections),
  workflows: 8,
};
const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-load-'));
try {
  const totals = await runLoad(dataDir, options);
  const ok = isSound(totals, options);
  const report = { name: 'ingress-load', ok, figures: [], totals };
  process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
  if (!ok) process.exitCode = 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
