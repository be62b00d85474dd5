import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import {
  transitionMutation,
  type MutationState,
  type MutationTransition,
} from '#shared/machines/mutation.ts';
import { isRejection } from '#shared/rejection.ts';

const move = (state: MutationState, event: MutationTransition): MutationState => {
  const next = transitionMutation(state, event);
  if (isRejection(next)) throw new Error(next.message);
  return next;
};
const unknown: MutationState = { status: 'indeterminate', error: 'no answer' };

const EVENTS: MutationTransition[] = [
  { type: 'send' },
  { type: 'apply', result: 1 },
  { type: 'fail', error: 'refused' },
  { type: 'doubt', error: 'timeout', nextAt: 10 },
  { type: 'reconcile_again', at: 10, nextAt: 20 },
  { type: 'give_up', error: 'nobody knows' },
  { type: 'resolve', as: 'user_assert_applied', at: 5, result: 2 },
  { type: 'resolve', as: 'user_assert_failed', at: 5 },
  { type: 'resolve', as: 'user_skip', at: 5 },
  { type: 'resolve', as: 'user_retry', at: 5, canReconcile: true },
  { type: 'resolve', as: 'user_retry', at: 5, canReconcile: false },
];

describe('mutations', () => {
  it('[MU-3] a sent effect becomes applied or failed', () => {
    const sent = move({ status: 'pending' }, { type: 'send' });
    expect(move(sent, { type: 'apply', result: { id: 7 } })).toEqual({
      status: 'applied',
      result: { id: 7 },
    });
    expect(move(sent, { type: 'fail', error: 'refused' })).toEqual({
      status: 'failed',
      error: 'refused',
    });
  });

  it('[MU-4] doubt leads to needs_reconcile, and give_up to indeterminate', () => {
    const doubted = move({ status: 'in_flight' }, { type: 'doubt', error: 'timeout', nextAt: 10 });
    expect(doubted).toEqual({
      status: 'needs_reconcile',
      error: 'timeout',
      reconcile: { attempts: 0, nextAt: 10 },
    });
    expect(move(doubted, { type: 'give_up', error: 'nobody knows' })).toEqual({
      status: 'indeterminate',
      error: 'nobody knows',
      reconcile: { attempts: 0, nextAt: 10 },
    });
  });

  it('[MU-7] each reconcile is counted with its time and the next time', () => {
    let state = move({ status: 'in_flight' }, { type: 'doubt', error: 'timeout' });
    state = move(state, { type: 'reconcile_again', at: 10, nextAt: 20 });
    state = move(state, { type: 'reconcile_again', at: 20, nextAt: 40 });
    expect(state).toMatchObject({ reconcile: { attempts: 2, lastAt: 20, nextAt: 40 } });
  });

  it('[MU-5] assert_applied, assert_failed and retry set the status', () => {
    const at = 5;
    expect(
      move(unknown, { type: 'resolve', as: 'user_assert_applied', at, result: { id: 1 } }),
    ).toEqual({
      status: 'applied',
      result: { id: 1 },
      resolved: { by: 'user_assert_applied', at },
    });
    expect(move(unknown, { type: 'resolve', as: 'user_assert_failed', at })).toMatchObject({
      status: 'failed',
      resolved: { by: 'user_assert_failed' },
    });
    expect(
      move(unknown, { type: 'resolve', as: 'user_retry', at, canReconcile: true }),
    ).toMatchObject({ status: 'needs_reconcile', reconcile: { attempts: 0 } });
    expect(
      move(unknown, { type: 'resolve', as: 'user_retry', at, canReconcile: false }),
    ).toMatchObject({ status: 'in_flight', resolved: { by: 'user_retry' } });
  });

  it('[MU-5] a skipped effect stays indeterminate and rejects every event', () => {
    const skipped = move(unknown, { type: 'resolve', as: 'user_skip', at: 5 });
    expect(skipped).toEqual({ ...unknown, resolved: { by: 'user_skip', at: 5 } });
    for (const event of EVENTS) expect(isRejection(transitionMutation(skipped, event))).toBe(true);
  });

  it('[MU-5] only an indeterminate effect can be resolved', () => {
    const others: MutationState[] = [
      { status: 'pending' },
      { status: 'in_flight' },
      { status: 'applied', result: 1 },
      { status: 'failed', error: 'x' },
      { status: 'needs_reconcile', error: 'x', reconcile: { attempts: 0 } },
    ];
    for (const state of others) {
      for (const event of EVENTS.filter(({ type }) => type === 'resolve')) {
        expect(isRejection(transitionMutation(state, event))).toBe(true);
      }
    }
  });

  it.prop([fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 })])(
    '[MU-3] a sent effect is never pending again, and applied and failed are final',
    (events) => {
      let state: MutationState = { status: 'pending' };
      let wasSent = false;
      for (const event of events) {
        const next = transitionMutation(state, event);
        if (isRejection(next)) continue;
        expect(state.status).not.toBe('applied');
        expect(state.status).not.toBe('failed');
        if (wasSent) expect(next.status).not.toBe('pending');
        // Only a person's retry sends it again.
        if (wasSent && next.status === 'in_flight') {
          expect(event).toMatchObject({ as: 'user_retry', canReconcile: false });
        }
        wasSent ||= next.status === 'in_flight';
        state = next;
      }
    },
  );
});
