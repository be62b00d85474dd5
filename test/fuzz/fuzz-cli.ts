// `npm run fuzz [-- --minutes M] [--target NAME] [--seed S] [--json]`: fuzzes the decoders of data that
// others send.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz, type Fuzzed } from '#test/fuzz/fuzz.ts';
import { targetsFor } from '#test/fuzz/targets.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const all = targetsFor(syncSchema());
const targets = all.filter(({ name }) => values.target === undefined || name === values.target);
if (!(minutes > 0) || !Number.isSafeInteger(seed) || targets.length === 0) {
  const names = all.map(({ name }) => name).join(', ');
  say(`--minutes must be a positive number, --seed an integer, and --target one of: ${names}.`);
  process.exit(2);
}

let ok = true;
const totals: { [name: string]: number } = { seed };
for (const target of targets) {
  const until = performance.now() + (minutes * 60_000) / targets.length;
  const fuzzed = fuzz(target, createRandom(seed), () => performance.now() < until);
  totals[`${target.name}_inputs`] = fuzzed.inputs;
  totals[`${target.name}_blocks`] = fuzzed.blocks;
  say(
    `${target.name}: ${fuzzed.inputs} inputs, ${fuzzed.corpus} in the corpus, ${fuzzed.blocks} blocks`,
  );
  if (fuzzed.failure) {
    ok = false;
    explain(target.name, fuzzed.failure);
  }
}
if (values.json) {
  process.stdout.write(`${JSON.stringify({ name: 'fuzz', ok, figures: [], totals })}\n`);
}
process.exit(ok ? 0 : 1);

function explain(name: string, { input, error }: NonNullable<Fuzzed['failure']>): void {
  const path = join(tmpdir(), `holdfast-fuzz-${name}-${seed}.bin`);
  writeFileSync(path, input);
  say(`${name} failed. The input is in ${path}.`);
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function syncSchema(): ReturnType<typeof readSyncSchema> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
  try {
    const path = join(folder, 'schema.db');
    migrateFile(path);
    const db = new Database(path);
    const schema = readSyncSchema(db);
    db.close();
    return schema;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
