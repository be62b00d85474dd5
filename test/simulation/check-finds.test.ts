// Faults that break a promise, to see that the check reports them.
import { describe, expect, it } from 'vitest';
import type { Plan, Step } from '#test/simulation/plan.ts';
import { simulate } from '#test/simulation/simulate.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 120_000;

async function problemsAfter(steps: readonly Step[]): Promise<readonly string[]> {
  const plan: Plan = { seed: 1, devices: 2, steps };
  return (await simulate(plan)).problems;
}

describe('the check of the simulator', () => {
  it(
    '[SI-10] finds an effect that is repeated because the disk lost what it had confirmed',
    async () => {
      const problems = await problemsAfter([
        { type: 'pause', device: 0, workflow: 'shouts' },
        { type: 'publish', device: 0, workflow: 'shouts', id: 'm1' },
        { type: 'pass', ms: 5000 },
        { type: 'cut', a: 0, b: 1 },
        { type: 'disk_lies', device: 0 },
        { type: 'resume', device: 0, workflow: 'shouts' },
        { type: 'pass', ms: 5000 },
        { type: 'power_cut', device: 0, at: 0 },
        { type: 'restart', device: 0 },
      ]);
      expect(problems).toContainEqual(
        expect.stringMatching(/^device-1 made the effect \w+ more than once$/),
      );
      expect(problems).toContainEqual(
        expect.stringMatching(/^device-1 had on disk that the mutation \w+ is applied, .* gone$/),
      );
    },
    TIMEOUT_MS,
  );

  it(
    '[SI-10] finds an effect that is unknown again although the device had it on disk as applied',
    async () => {
      const problems = await problemsAfter([
        { type: 'fault', fault: 'late_answer', ms: 5000 },
        { type: 'publish', device: 0, workflow: 'shouts', id: 'm1' },
        { type: 'pass', ms: 4000 },
        { type: 'disk_lies', device: 0 },
        { type: 'pass', ms: 20_000 },
        { type: 'power_cut', device: 0, at: 0 },
        { type: 'restart', device: 0 },
      ]);
      expect(problems).toContainEqual(
        expect.stringMatching(/^device-1 had on disk that the mutation \w+ is applied, and shows/),
      );
    },
    TIMEOUT_MS,
  );

  it(
    '[SI-10] finds a published event that is lost after its publish was acknowledged',
    async () => {
      const problems = await problemsAfter([
        { type: 'cut', a: 0, b: 1 },
        { type: 'pass', ms: 1000 },
        { type: 'disk_lies', device: 1 },
        { type: 'publish', device: 1, workflow: 'shouts', id: 'm1' },
        { type: 'pass', ms: 5000 },
        { type: 'power_cut', device: 1, at: 0 },
        { type: 'restart', device: 1 },
      ]);
      expect(problems).toContainEqual(expect.stringMatching(/^the published event \w+ is lost$/));
    },
    TIMEOUT_MS,
  );

  it(
    '[SI-10] finds an effect that happens twice because the service finished after its window',
    async () => {
      const problems = await problemsAfter([
        { type: 'fault', fault: 'after_window', ms: 6 * HOUR_MS },
        { type: 'publish', device: 0, workflow: 'asks', id: 'm1' },
        { type: 'pass', ms: 7 * HOUR_MS },
      ]);
      expect(problems).toContainEqual(
        expect.stringMatching(/^device-1 made the effect \w+ more than once$/),
      );
      expect(problems).toContainEqual(
        expect.stringMatching(/^the mutation \w+ is failed, but its effect happened$/),
      );
    },
    TIMEOUT_MS,
  );

  it(
    '[SI-10] finds a workflow that paused by itself',
    async () => {
      const problems = await problemsAfter([
        ...Array.from({ length: 9 }, (): Step => ({ type: 'fault', fault: 'bug', ms: 0 })),
        ...['m1', 'm2', 'm3'].map((id): Step => ({
          type: 'publish',
          device: 0,
          workflow: 'shouts',
          id,
        })),
        { type: 'pass', ms: 3_600_000 },
      ]);
      expect(problems).toContainEqual(
        expect.stringMatching(/^device-1: shouts paused by itself: .*in a row/),
      );
    },
    TIMEOUT_MS,
  );

  it(
    '[SI-10] finds an event that was consumed although its effect never happened',
    async () => {
      const problems = await problemsAfter([
        { type: 'fault', fault: 'applied_without', ms: 0 },
        { type: 'publish', device: 0, workflow: 'shouts', id: 'm1' },
      ]);
      expect(problems).toContainEqual(
        'shout {"id":"m1"} was consumed, but its effect never happened',
      );
    },
    TIMEOUT_MS,
  );
});
