// Tests of the simulator, and plans that once failed.
import { describe, expect, it } from 'vitest';
import { planOf, type Plan } from '#test/simulation/plan.ts';
import { shrink } from '#test/simulation/shrink.ts';
import { simulate } from '#test/simulation/simulate.ts';

describe('the simulator', () => {
  it('[SI-3] finds the same problems and totals for the same seed', async () => {
    const [first, second] = [await simulate(planOf(3)), await simulate(planOf(3))];
    expect(second).toEqual(first);
    expect(first.totals.frames).toBeGreaterThan(10);
  }, 120_000);

  it('[SI-3] shrinks a failing plan to the two steps that it needs', async () => {
    const plan = planOf(1);
    const fails = async ({ steps }: Plan): Promise<boolean> =>
      steps.some(({ type }) => type === 'crash') && steps.some(({ type }) => type === 'publish');
    const short = await shrink({ ...plan, steps: [...plan.steps, ...planOf(2).steps] }, fails);
    expect(short.steps.map(({ type }) => type).toSorted()).toEqual(['crash', 'publish']);
  });

  it.each([
    ['refused_after', /^the mutation \w+ is failed, but its effect happened$/],
    ['applied_without', /^the mutation \w+ is applied, but its effect never happened$/],
  ] as const)(
    '[SI-2] finds a known outcome that is false: %s',
    async (fault, problem) => {
      const plan: Plan = {
        seed: 1,
        devices: 2,
        steps: [
          { type: 'fault', fault, ms: 0 },
          { type: 'publish', device: 0, workflow: 'shouts', id: 'm1' },
        ],
      };
      const { problems } = await simulate(plan);
      expect(problems).toContainEqual(expect.stringMatching(problem));
    },
    120_000,
  );

  it('[OW-14] finds no problem when a workflow returns to a device while its effect is under way', async () => {
    const workflow = 'asks';
    const plan: Plan = {
      seed: 1048,
      isInstant: true,
      devices: 3,
      steps: [
        { type: 'take_over', device: 2, workflow },
        { type: 'fault', fault: 'slow', ms: 0 },
        { type: 'publish', device: 2, workflow, id: 'm3' },
        { type: 'take_over', device: 1, workflow },
        { type: 'pass', ms: 21_810 },
        { type: 'hand_over', workflow, to: 2 },
        { type: 'pass', ms: 537_439 },
      ],
    };
    expect((await simulate(plan)).problems).toEqual([]);
  }, 120_000);

  it('[IC-1] finds one incident when two devices sent an effect and a person skipped one of them', async () => {
    const workflow = 'shouts';
    const plan: Plan = {
      seed: 3893,
      isInstant: true,
      devices: 5,
      steps: [
        { type: 'cut', a: 3, b: 1 },
        { type: 'take_over', device: 1, workflow },
        { type: 'pass', ms: 464_432 },
        { type: 'fault', fault: 'lost_after', ms: 0 },
        { type: 'take_over', device: 2, workflow },
        { type: 'publish', device: 0, workflow, id: 'm9' },
        { type: 'publish', device: 4, workflow, id: 'm10' },
        { type: 'pass', ms: 359 },
        { type: 'resolve', device: 1, as: 'skip' },
      ],
    };
    const { problems, totals } = await simulate(plan);
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ repeated: 1, incidents: 1 });
  }, 120_000);

  it('[OW-14] finds one effect when a requested resend changes owners twice', async () => {
    const workflow = 'shouts';
    const plan: Plan = {
      seed: 2590,
      isInstant: true,
      devices: 2,
      steps: [
        { type: 'fault', fault: 'lost_before', ms: 0 },
        { type: 'publish', device: 0, workflow, id: 'm12' },
        { type: 'hand_over', workflow, to: 1 },
        { type: 'resolve', device: 0, as: 'retry' },
        { type: 'take_over', device: 0, workflow },
        { type: 'resolve', device: 0, as: 'did_not_happen' },
      ],
    };
    const { problems, totals } = await simulate(plan);
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ effects: 1, repeated: 0 });
  }, 120_000);

  it('[SI-5] a device sleeps before its commits while another one takes over, and one effect happens', async () => {
    const workflow = 'shouts';
    const plan: Plan = {
      seed: 1,
      devices: 2,
      steps: [
        { type: 'sleep', device: 0, at: 3, ms: 7_200_000 },
        { type: 'publish', device: 0, workflow, id: 'm1' },
        { type: 'pass', ms: 1000 },
        { type: 'take_over', device: 1, workflow },
        { type: 'pass', ms: 7_300_000 },
      ],
    };
    const { problems, totals } = await simulate(plan);
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ sleeps: 1, effects: 1 });
  }, 120_000);

  it.each([
    [2, 'database', 'shouts'],
    [2, 'machine', 'asks'],
    [3, 'database', 'asks'],
    [3, 'machine', 'shouts'],
  ] as const)(
    '[SI-11] one of %i devices, whose %s goes back to before its effect, does not repeat it: %s',
    async (devices, what, workflow) => {
      const plan: Plan = {
        seed: 1,
        devices,
        steps: [
          { type: 'hand_over', workflow, to: 1 },
          { type: 'pass', ms: 5000 },
          // The copy has the event, and the effect is made by the retry.
          { type: 'fault', fault: 'unreachable', ms: 0 },
          { type: 'publish', device: 1, workflow, id: 'm1' },
          { type: 'pass', ms: 600 },
          { type: 'save', device: 1 },
          { type: 'pass', ms: 20_000 },
          { type: 'go_back', device: 1, what },
          { type: 'pass', ms: 600_000 },
        ],
      };
      const { problems, totals } = await simulate(plan);
      expect(problems).toEqual([]);
      expect(totals).toMatchObject({ wentBack: 1, effects: 1, repeated: 0 });
    },
    120_000,
  );

  it('[SI-8] a device that was offline for two days makes every effect once and pauses nothing', async () => {
    const workflow = 'asks';
    const day = 86_400_000;
    const plan: Plan = {
      seed: 1,
      devices: 1,
      steps: [
        { type: 'offline', device: 0, ms: 2 * day, alone: true },
        { type: 'publish', device: 0, workflow, id: 'm1' },
        { type: 'publish', device: 0, workflow: 'shouts', id: 'm2' },
        { type: 'pass', ms: 2 * day },
        { type: 'publish', device: 0, workflow, id: 'm3' },
        { type: 'pass', ms: 600_000 },
      ],
    };
    const { problems, totals } = await simulate(plan);
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ offline: 1, effects: 3, repeated: 0 });
  }, 120_000);
});
