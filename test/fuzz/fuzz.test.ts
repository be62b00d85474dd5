// The fuzzer itself: it is led to what chance does not find, tells the same story again for the
// same seed, and our own decoders hold for a first few thousand inputs. `npm run fuzz` goes on.
import { describe, expect, it } from 'vitest';
import { fuzz, randomFrom, type Target } from '#test/fuzz/fuzz.ts';
import { planted } from '#test/fuzz/planted-fault.ts';
import { targetsFor } from '#test/fuzz/targets.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';
import { openStore } from '#test/support/open-store.ts';

const plantedTarget: Target = {
  name: 'planted',
  places: ['/test/fuzz/planted'],
  corpus: [Buffer.from('xxxxxxxx')],
  check: planted,
};
const UP_TO = 60_000;

describe('fuzzing led by coverage', () => {
  it('finds what is three right bytes away', () => {
    const { broken } = fuzz(plantedTarget, randomFrom(1), (inputs) => inputs < UP_TO);
    expect(Buffer.from(broken?.input ?? []).toString('latin1', 0, 3)).toBe('Hol');
  });

  it('does not find it when nothing leads', () => {
    const blind = { ...plantedTarget, places: ['/nowhere'] };
    expect(fuzz(blind, randomFrom(1), (inputs) => inputs < UP_TO)).toMatchObject({ broken: null });
  });

  it('tells the same story again', () => {
    const story = () => fuzz(plantedTarget, randomFrom(7), (inputs) => inputs < UP_TO).inputs;
    expect(story()).toBe(story());
  });

  it('[CS-9] our decoders hold', () => {
    for (const target of targetsFor(readSyncSchema(openStore().db))) {
      const { broken, blocks } = fuzz(target, randomFrom(3), (inputs) => inputs < 1000);
      expect(broken, target.name).toBeNull();
      expect(blocks, target.name).toBeGreaterThan(10);
    }
  });
});
