// Tests the fuzzer with a planted fault, and fuzzes each decoder with a thousand inputs. `npm run fuzz`
// runs as long as wanted.
import { describe, expect, it } from 'vitest';
import { fuzz, type Target } from '#test/fuzz/fuzz.ts';
import { plantedFault } from '#test/fuzz/planted-fault.ts';
import { targetsFor } from '#test/fuzz/targets.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';
import { openStore } from '#test/support/open-store.ts';
import { createRandom } from '#test/support/seeded-random.ts';

const plantedTarget: Target = {
  name: 'planted',
  paths: ['/test/fuzz/planted-fault'],
  corpus: [Buffer.from('xxxxxxxx')],
  check: plantedFault,
};
const MAX_INPUTS = 60_000;

describe('the fuzzer', () => {
  it('finds a fault that needs three right bytes', () => {
    const { failure } = fuzz(plantedTarget, createRandom(1), (inputs) => inputs < MAX_INPUTS);
    expect(Buffer.from(failure?.input ?? []).toString('latin1', 0, 3)).toBe('Hol');
  });

  it('does not find the fault without coverage', () => {
    const blind = { ...plantedTarget, paths: ['/nowhere'] };
    const { failure } = fuzz(blind, createRandom(1), (inputs) => inputs < MAX_INPUTS);
    expect(failure).toBeNull();
  });

  it('finds the same input after the same number of inputs for the same seed', () => {
    const run = () => fuzz(plantedTarget, createRandom(1), (inputs) => inputs < MAX_INPUTS);
    const [first, second] = [run(), run()];
    expect(first.failure).not.toBeNull();
    expect(second.inputs).toBe(first.inputs);
    expect(second.failure?.input).toEqual(first.failure?.input);
  });

  it('[CS-9] finds no failure of our decoders in 1,000 inputs each', () => {
    for (const target of targetsFor(readSyncSchema(openStore().db))) {
      const { failure, blocks } = fuzz(target, createRandom(3), (inputs) => inputs < 1000);
      expect(failure, target.name).toBeNull();
      expect(blocks, target.name).toBeGreaterThan(10);
    }
  });
});
