// The continuation table, cell by cell: reason × position × effect × whose row it is.
import { describe, expect, it } from 'vitest';
import {
  continuationOf,
  positionOf,
  POSITIONS,
  REASONS,
  type Continuation,
  type EffectStatus,
  type Position,
  type Reason,
} from '#shared/machines/continuation.ts';
import { PHASES, SUSPEND_REASONS, type HandlerRunState } from '#shared/machines/handler-run.ts';
import { MUTATION_STATUSES } from '#shared/machines/mutation.ts';

const EFFECTS: readonly EffectStatus[] = ['none', ...MUTATION_STATUSES];

/** In the order of EFFECTS: none, pending, in_flight, applied, failed, needs_reconcile, indeterminate. */
type Row = readonly [
  Continuation,
  Continuation,
  Continuation,
  Continuation,
  Continuation,
  Continuation,
  Continuation,
];

const all = (continuation: Continuation): Row => [
  continuation,
  continuation,
  continuation,
  continuation,
  continuation,
  continuation,
  continuation,
];

const adoption = (checking: Continuation): { readonly [position in Position]: Row } => ({
  before_effect: all('start_over'),
  executing: all('start_over'),
  at_effect: [
    'start_over',
    'start_over',
    'mark_unknown',
    'continue_in_new_run',
    'start_over',
    'mark_unknown',
    'suspend',
  ],
  after_effect: all('continue_in_new_run'),
  suspended_before: suspendedAdopted(checking),
  suspended_at: suspendedAdopted(checking),
  awaiting_outcome: suspendedAdopted(checking),
  suspended_after: ['wait', 'wait', 'mark_unknown', 'wait', 'wait', 'wait', 'wait'],
  ended: all('wait'),
});

function suspendedAdopted(checking: Continuation): Row {
  return [
    'start_over',
    'wait',
    'mark_unknown',
    'continue_in_new_run',
    'start_over',
    checking,
    'wait',
  ];
}

const settled = (forward: Continuation): { readonly [position in Position]: Row } => {
  const row: Row = ['wait', 'wait', 'resend', forward, 'start_over_now', 'wait', forward];
  return {
    before_effect: row,
    executing: row,
    at_effect: row,
    after_effect: row,
    suspended_before: row,
    suspended_at: row,
    awaiting_outcome: row,
    suspended_after: row,
    ended: all('wait'),
  };
};

const outcomeKnown: Row = [
  'wait',
  'wait',
  'wait',
  'continue_in_place',
  'start_over',
  'wait',
  'wait',
];

const resumed = (forward: Continuation): { readonly [position in Position]: Row } => {
  const before: Row = ['start_over_now', 'wait', 'wait', 'wait', 'start_over_now', 'wait', 'wait'];
  return {
    before_effect: all('wait'),
    executing: all('wait'),
    at_effect: all('wait'),
    after_effect: all('wait'),
    suspended_before: before,
    suspended_at: before,
    awaiting_outcome: all('wait'),
    suspended_after: all(forward),
    ended: all('wait'),
  };
};

const cancelable: Row = [
  'start_over_now',
  'start_over_now',
  'refuse',
  'refuse',
  'start_over_now',
  'refuse',
  'refuse',
];

function expectedFor(
  reason: Reason,
  isOurs: boolean,
): {
  readonly [position in Position]: Row;
} {
  const forward = isOurs ? 'continue_in_place' : 'continue_in_new_run';
  switch (reason) {
    case 'crash':
      return {
        before_effect: all('start_over'),
        executing: all('start_over'),
        at_effect: [
          'start_over',
          'start_over',
          'check',
          'continue_in_new_run',
          'start_over',
          'suspend',
          'suspend',
        ],
        after_effect: all('continue_in_new_run'),
        suspended_before: all('wait'),
        suspended_at: ['wait', 'wait', 'check', 'wait', 'wait', 'wait', 'wait'],
        awaiting_outcome: ['wait', 'wait', 'check', 'wait', 'start_over', 'wait', 'wait'],
        suspended_after: all('wait'),
        ended: all('wait'),
      };
    case 'takeover':
      return adoption('mark_unknown');
    case 'handover':
      return adoption('wait');
    case 'ownership_lost':
      return {
        before_effect: all('end'),
        executing: all('end'),
        at_effect: [
          'end',
          'end',
          'mark_unknown',
          'record_applied',
          'end',
          'mark_unknown',
          'suspend',
        ],
        after_effect: all('wait'),
        suspended_before: all('wait'),
        suspended_at: all('wait'),
        awaiting_outcome: all('wait'),
        suspended_after: all('wait'),
        ended: all('wait'),
      };
    case 'settled':
      return settled(forward);
    case 'outcome_known':
      return {
        before_effect: outcomeKnown,
        executing: outcomeKnown,
        at_effect: outcomeKnown,
        after_effect: outcomeKnown,
        suspended_before: outcomeKnown,
        suspended_at: outcomeKnown,
        awaiting_outcome: outcomeKnown,
        suspended_after: outcomeKnown,
        ended: all('wait'),
      };
    case 'resumed':
      return resumed(forward);
    case 'canceled':
      return {
        before_effect: all('cancel_in_lane'),
        executing: all('refuse'),
        at_effect: all('refuse'),
        after_effect: all('refuse'),
        suspended_before: cancelable,
        suspended_at: cancelable,
        awaiting_outcome: all('refuse'),
        suspended_after: all('refuse'),
        ended: all('refuse'),
      };
  }
}

describe.each(REASONS)('reason %s', (reason) => {
  it.each(POSITIONS)('[EN-24] decides every effect status for a run at %s', (position) => {
    for (const isOurs of [true, false]) {
      const decided = EFFECTS.map((effect) => continuationOf({ position, effect, isOurs }, reason));
      expect(decided).toEqual(expectedFor(reason, isOurs)[position]);
    }
  });
});

const STARTS_OVER: readonly Continuation[] = ['start_over', 'start_over_now', 'end'];
const REACHABLE_WITH_EFFECT: readonly Position[] = [
  'at_effect',
  'suspended_at',
  'awaiting_outcome',
  'suspended_after',
];

describe('invariants of the table', () => {
  it('[EN-25] a run whose effect may have been sent neither starts over nor ends', () => {
    for (const reason of REASONS) {
      for (const position of REACHABLE_WITH_EFFECT) {
        for (const effect of [
          'in_flight',
          'needs_reconcile',
          'indeterminate',
          'applied',
        ] as const) {
          for (const isOurs of [true, false]) {
            const next = continuationOf({ position, effect, isOurs }, reason);
            expect(STARTS_OVER, `${reason} ${position} ${effect}`).not.toContain(next);
          }
        }
      }
    }
  });

  it('[EN-25] no reason except settled resends an effect', () => {
    for (const reason of REASONS.filter((one) => one !== 'settled')) {
      for (const position of POSITIONS) {
        for (const effect of EFFECTS) {
          const next = continuationOf({ position, effect, isOurs: true }, reason);
          expect(next).not.toBe('resend');
        }
      }
    }
  });
});

describe('positionOf', () => {
  it.each(PHASES.filter((phase) => phase !== 'suspended'))('maps the phase %s', (phase) => {
    const expected: { readonly [one in typeof phase]: Position } = {
      pending: 'before_effect',
      preparing: 'before_effect',
      prepared: 'before_effect',
      executing: 'executing',
      mutating: 'at_effect',
      mutated: 'after_effect',
      emitting: 'after_effect',
      committed: 'ended',
      failed: 'ended',
    };
    expect(positionOf({ phase } as HandlerRunState)).toBe(expected[phase]);
  });

  it.each(SUSPEND_REASONS)('maps a run suspended for %s by its resume phase', (reason) => {
    const at = (resumePhase: string): Position =>
      positionOf({ phase: 'suspended', reason, resumePhase } as HandlerRunState);
    const places = ['prepared', 'executing', 'mutating', 'mutated', 'emitting'].map(at);
    expect(places).toEqual(
      reason === 'reconciliation'
        ? places.map(() => 'awaiting_outcome')
        : [
            'suspended_before',
            'suspended_before',
            'suspended_at',
            'suspended_after',
            'suspended_after',
          ],
    );
  });
});
