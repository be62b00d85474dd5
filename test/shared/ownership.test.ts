// The pure functions of ownership, event projection and incidents.
import { describe, expect, it } from 'vitest';
import { fc, it as property } from '@fast-check/vitest';
import { pathOfEvent, projectEvent, type Holder } from '#shared/event-projection.ts';
import {
  epochTie,
  findDoubleEffect,
  happenedTwice,
  findDoubleRun,
  findLateFinding,
  type AllSides,
  type OneSide,
} from '#shared/incidents.ts';
import type { EventState } from '#shared/machines/event.ts';
import { MUTATION_STATUSES, RESOLUTIONS, type Resolution } from '#shared/machines/mutation.ts';
import { epochOf, ownerOf, tiedEpochs, type Claim } from '#shared/ownership.ts';

const claim = (epoch: number, deviceId: string, to?: string): Claim => ({
  workflowId: 'w',
  epoch,
  deviceId,
  how: 'takeover',
  fromDeviceId: null,
  fromEpoch: null,
  claimedAt: epoch,
  release: to === undefined ? null : { toDeviceId: to, at: 1 },
});

describe('ownerOf', () => {
  it('[OW-7] the highest epoch owns, and the smaller device id breaks a tie', () => {
    expect(ownerOf([])).toEqual({ type: 'nobody' });
    const claims = [claim(1, 'a'), claim(3, 'c'), claim(3, 'b'), claim(2, 'a', 'b')];
    expect(ownerOf(claims)).toEqual({ type: 'owned', claim: claims[2], rivals: ['c'] });
    expect(epochOf(ownerOf(claims), 'b')).toBe(3);
    expect(epochOf(ownerOf(claims), 'c')).toBeNull();
    expect(tiedEpochs(claims)).toEqual([3]);
  });

  it('[OW-5] after a release no device owns it until the next claim', () => {
    const ownership = ownerOf([claim(1, 'a', 'b')]);
    expect(ownership).toMatchObject({ type: 'released', toDeviceId: 'b', claim: { epoch: 1 } });
    expect([epochOf(ownership, 'a'), epochOf(ownership, 'b')]).toEqual([null, null]);
    expect(ownerOf([claim(1, 'a', 'b'), claim(2, 'b')])).toMatchObject({ type: 'owned' });
  });

  const anyClaim = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('a', 'b', 'c'), fc.boolean())
    .map(([epoch, deviceId, isReleased]) => claim(epoch, deviceId, isReleased ? 'b' : undefined));

  property.prop([
    fc.uniqueArray(anyClaim, { selector: ({ epoch, deviceId }) => `${epoch}${deviceId}` }),
  ])('[OW-7] does not depend on the order of the claims and names at most one owner', (claims) => {
    expect(ownerOf(claims.toReversed())).toEqual(ownerOf(claims));
    const owners = ['a', 'b', 'c'].filter((id) => epochOf(ownerOf(claims), id) !== null);
    expect(owners.length).toBeLessThanOrEqual(1);
  });
});

describe('projectEvent', () => {
  const holder = (runId: string, end: Holder['end'], attempt = 1): Holder => ({
    runId,
    attempt,
    end,
    isSkipped: false,
  });
  const pending: EventState = { status: 'pending', attempt: 1 };
  const reserved: EventState = { status: 'reserved', attempt: 1, reservedByRunId: 'r1' };

  it('[RP-1] a final status wins over reserved, and reserved over pending', () => {
    expect(projectEvent(pending, [])).toEqual(pending);
    expect(projectEvent(pending, [holder('r1', 'open')])).toEqual(reserved);
    expect(projectEvent(reserved, [holder('r1', 'failed')])).toEqual(pending);
    expect(projectEvent(reserved, [holder('r1', 'open'), holder('r2', 'committed')])).toEqual({
      status: 'consumed',
      attempt: 1,
      reservedByRunId: 'r2',
    });
    expect(
      projectEvent(pending, [{ ...holder('r1', 'committed'), isSkipped: true }]),
    ).toMatchObject({ status: 'skipped', reason: 'by_person' });
  });

  it('[RP-1] uses the latest known attempt', () => {
    const consumed: EventState = { status: 'consumed', attempt: 1, reservedByRunId: 'r1' };
    const holders = [holder('r1', 'committed'), holder('r2', 'open', 2)];
    expect(projectEvent(consumed, holders)).toEqual({
      status: 'reserved',
      attempt: 2,
      reservedByRunId: 'r2',
    });
    expect(projectEvent(consumed, [])).toEqual(consumed);
  });

  it('[RP-1] keeps the status of an event whose run is not merged yet', () => {
    expect(projectEvent(reserved, [])).toEqual(reserved);
  });

  const legal = new Set(
    ['pending reserved', 'pending skipped', 'reserved pending', 'reserved consumed'].concat([
      'reserved skipped',
      'consumed pending',
      'skipped pending',
    ]),
  );
  const anyHolder = fc.record({
    runId: fc.constantFrom('r1', 'r2', 'r3'),
    attempt: fc.integer({ min: 1, max: 3 }),
    end: fc.constantFrom('committed' as const, 'failed' as const, 'open' as const),
    isSkipped: fc.boolean(),
  });
  const anyState: fc.Arbitrary<EventState> = fc.oneof(
    fc.record({ status: fc.constant('pending' as const), attempt: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      status: fc.constantFrom('reserved' as const, 'consumed' as const, 'skipped' as const),
      attempt: fc.integer({ min: 1, max: 3 }),
      reservedByRunId: fc.constantFrom('r1', 'r2', 'r3'),
    }),
  );

  property.prop([anyState, fc.array(anyHolder, { maxLength: 4 })], { numRuns: 2000 })(
    '[RP-1] [RP-2] the path to the projection is legal, and the projection is stable',
    (state, holders) => {
      const goal = projectEvent(state, holders);
      const path = pathOfEvent(state, goal);
      let from = state;
      for (const to of path) {
        expect(legal).toContain(`${from.status} ${to.status}`);
        from = to;
      }
      expect(from).toEqual(goal);
      expect(projectEvent(goal, holders)).toEqual(goal);
      expect(pathOfEvent(goal, goal)).toEqual([]);
    },
  );
});

describe('incidents', () => {
  const side = (
    status: string,
    resolvedBy: Resolution | null = null,
    isResent = false,
  ): OneSide => ({
    status,
    resolvedBy,
    resolvedAt: resolvedBy && 5,
    isResent,
    updatedAt: 7,
  });
  const row = (
    made: OneSide,
    taken: OneSide | null = null,
    mutationId = 'm',
    recovered: OneSide | null = null,
  ): AllSides => ({
    mutationId,
    workflowId: 'w',
    effectId: 'e',
    made,
    recovered,
    taken,
  });

  it('[IC-1] two effects that happened or may have happened are one incident; failed ones are none', () => {
    const twice = [row(side('applied'), null, 'm1'), row(side('applied'), null, 'm2')];
    expect(findDoubleEffect(twice)).toMatchObject({ kind: 'double_effect', about: 'e', at: 7 });
    expect(findDoubleEffect(twice)?.id).toBe(findDoubleEffect(twice.toReversed())?.id);
    expect(findDoubleEffect([row(side('applied'), side('applied', 'user_retry', true))])).not.toBe(
      null,
    );
    for (const status of MUTATION_STATUSES) {
      for (const by of [null, ...RESOLUTIONS]) {
        expect(findDoubleEffect([row(side('applied'), side(status, by))])).toBeNull();
        // A skipped unknown outcome may be a second effect.
        const isSecond = status === 'applied' || (status === 'indeterminate' && by === 'user_skip');
        const rows = [row(side('applied')), row(side(status, by), null, 'm2')];
        expect(findDoubleEffect(rows) !== null).toBe(isSecond);
        expect(happenedTwice(rows)).toBe(status === 'applied');
        // The side of a later owner counts as well, unless the making device proved the opposite.
        const asserted = [row(side('applied')), row(side('in_flight'), side(status, by), 'm2')];
        expect(findDoubleEffect(asserted) !== null).toBe(isSecond);
        const denied = [row(side('applied')), row(side('failed'), side(status, by), 'm2')];
        expect(findDoubleEffect(denied)).toBeNull();
      }
    }
  });

  it('[IC-1] what the maker found after a crash counts like what a later owner found', () => {
    const open = side('in_flight');
    for (const status of MUTATION_STATUSES) {
      for (const by of [null, ...RESOLUTIONS]) {
        for (const isResent of [false, true]) {
          for (const made of [open, side('applied'), side('failed')]) {
            const later = side(status, by, isResent);
            const others = [row(side('applied'), null, 'm2')];
            const [recovered, taken] = [row(made, null, 'm', later), row(made, later)];
            expect(happenedTwice([recovered])).toBe(happenedTwice([taken]));
            expect(findDoubleEffect([recovered, ...others])).toEqual(
              findDoubleEffect([taken, ...others]),
            );
            expect(findLateFinding(recovered)).toEqual(findLateFinding(taken));
          }
        }
      }
    }
  });

  it('[IC-1] an effect that both found, or sent again by one decision, happened once', () => {
    const found = side('applied');
    expect(happenedTwice([row(side('in_flight'), found, 'm', found)])).toBe(false);
    const resent = side('applied', 'user_retry', true);
    expect(happenedTwice([row(side('in_flight'), resent, 'm', resent)])).toBe(false);
    expect(happenedTwice([row(side('in_flight'), resent, 'm', found)])).toBe(true);
    const other = { ...resent, resolvedAt: 6 };
    expect(happenedTwice([row(side('in_flight'), other, 'm', resent)])).toBe(true);
    // The maker's check denies what a person asserted.
    const denied = [
      row(side('in_flight'), side('applied', 'user_assert_applied'), 'm', side('failed')),
      row(found, null, 'm2'),
    ];
    expect(happenedTwice(denied)).toBe(false);
  });

  it("[IC-2] what the maker found after a crash and contradicts the new owner's decision is a late finding", () => {
    const open = side('in_flight');
    for (const status of MUTATION_STATUSES) {
      for (const by of [null, ...RESOLUTIONS]) {
        const isFound = findLateFinding(row(open, side('failed', by), 'm', side(status))) !== null;
        expect([status, by, isFound]).toEqual([
          status,
          by,
          findLateFinding(row(side(status), side('failed', by))) !== null,
        ]);
      }
    }
    // Two persons decided. The later owner's decision counts.
    const decided = side('applied', 'user_assert_applied');
    expect(
      findLateFinding(row(open, side('failed', 'user_assert_failed'), 'm', decided)),
    ).toBeNull();
  });

  it("[IC-2] an outcome that contradicts a person's decision is a late finding", () => {
    for (const made of MUTATION_STATUSES) {
      for (const by of [null, ...RESOLUTIONS]) {
        const isFound = findLateFinding(row(side(made), side('failed', by))) !== null;
        const contradicts =
          (by === 'user_assert_failed' && made === 'applied') ||
          (by === 'user_assert_applied' && made === 'failed');
        expect([made, by, isFound]).toEqual([made, by, contradicts]);
      }
    }
    expect(findLateFinding(row(side('applied')))).toBeNull();
  });

  it('[IC-2] commits of one event by two owners are a double run', () => {
    const run = (runId: string, deviceId: string, epoch: number) => ({
      runId,
      workflowId: 'w',
      deviceId,
      epoch,
      endedAt: epoch,
    });
    expect(findDoubleRun('e:1', [run('r1', 'a', 1)])).toBeNull();
    // Of one owner, whose database went back in between.
    expect(findDoubleRun('e:1', [run('r1', 'a', 1), run('r2', 'a', 1)])).not.toBeNull();
    expect(findDoubleRun('e:1', [run('r1', 'a', 1), run('r2', 'b', 2)])).toMatchObject({
      kind: 'double_run',
      at: 2,
    });
    expect(epochTie('w', 2, [5, 3])).toMatchObject({ kind: 'epoch_tie', about: '2', at: 5 });
  });
});
