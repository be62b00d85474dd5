import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import {
  transitionConsumerRun,
  transitionProducerRun,
  type ConsumerRunState,
  type ConsumerTransition,
  type ProducerRunState,
  type ProducerTransition,
} from '#shared/machines/handler-run.ts';
import { isRejection } from '#shared/rejection.ts';

const commit = { type: 'commit', outputState: { n: 1 }, at: 5 } as const;
const fail = { type: 'fail', errorType: 'logic', error: 'boom', at: 5 } as const;
const suspend = { type: 'suspend', reason: 'transient' } as const;

const CONSUMER_EVENTS: ConsumerTransition[] = [
  { type: 'prepare' },
  { type: 'checkpoint' },
  { type: 'mutate' },
  { type: 'settle' },
  { type: 'emit' },
  suspend,
  { type: 'resume' },
  commit,
  fail,
];

function run(events: readonly ConsumerTransition[]): string[] {
  let state: ConsumerRunState = { phase: 'pending' };
  const phases = ['pending'];
  for (const event of events) {
    const next = transitionConsumerRun(state, event);
    if (isRejection(next)) return [...phases, 'rejected'];
    state = next;
    phases.push(state.phase);
  }
  return phases;
}

describe('consumer runs', () => {
  it('[HR-1] passes all phases in order', () => {
    const events = ['prepare', 'checkpoint', 'mutate', 'settle', 'emit'].map(
      (type) => ({ type }) as ConsumerTransition,
    );
    expect(run([...events, commit])).toEqual([
      'pending',
      'preparing',
      'prepared',
      'mutating',
      'mutated',
      'emitting',
      'committed',
    ]);
  });

  it('[HR-1] no phase can be skipped or repeated', () => {
    expect(run([{ type: 'checkpoint' }])).toEqual(['pending', 'rejected']);
    expect(run([{ type: 'prepare' }, { type: 'prepare' }])).toContain('rejected');
    expect(run([{ type: 'prepare' }, { type: 'mutate' }])).toContain('rejected');
    expect(run([{ type: 'prepare' }, { type: 'checkpoint' }, commit])).toContain('rejected');
  });

  it('[HR-5] can go from prepared to emitting without an effect', () => {
    const events = [{ type: 'prepare' }, { type: 'checkpoint' }, { type: 'emit' }] as const;
    expect(run([...events, commit]).at(-1)).toBe('committed');
  });

  it.each(['preparing', 'prepared', 'mutating', 'mutated', 'emitting'] as const)(
    '[HR-3] a run suspended in %s resumes there, and only mutating can be settled',
    (phase) => {
      const suspended = transitionConsumerRun({ phase }, suspend);
      expect(suspended).toEqual({ phase: 'suspended', resumePhase: phase, reason: 'transient' });
      expect(transitionConsumerRun(suspended as ConsumerRunState, { type: 'resume' })).toEqual({
        phase,
      });
      const settled = transitionConsumerRun(suspended as ConsumerRunState, { type: 'settle' });
      expect(isRejection(settled)).toBe(phase !== 'mutating');
    },
  );

  it('[HR-3] a pending or committed run cannot be suspended', () => {
    for (const state of [
      { phase: 'pending' },
      { phase: 'committed', outputState: null, endedAt: 1 },
    ] as const) {
      expect(isRejection(transitionConsumerRun(state, suspend))).toBe(true);
    }
  });

  it('[HR-4] an ended run rejects every event', () => {
    const ended: ConsumerRunState[] = [
      { phase: 'committed', outputState: null, endedAt: 1 },
      { phase: 'failed', errorType: 'logic', error: 'x', endedAt: 1 },
    ];
    for (const state of ended) {
      for (const event of CONSUMER_EVENTS) {
        expect(isRejection(transitionConsumerRun(state, event))).toBe(true);
      }
    }
  });

  it('[HR-4] a rejection says what was asked and that nothing changed', () => {
    expect(transitionConsumerRun({ phase: 'pending' }, { type: 'mutate' })).toEqual({
      type: 'rejected',
      machine: 'consumer run',
      from: 'pending',
      event: 'mutate',
      message: `A consumer run in the state "pending" can't take "mutate". Nothing was changed.`,
    });
  });

  const ORDER = [
    'pending',
    'preparing',
    'prepared',
    'mutating',
    'mutated',
    'emitting',
    'committed',
  ];

  it.prop([fc.array(fc.constantFrom(...CONSUMER_EVENTS), { maxLength: 40 })])(
    '[HR-9] phases only move forward for any sequence of events',
    (events) => {
      let state: ConsumerRunState = { phase: 'pending' };
      let furthest = 0;
      for (const event of events) {
        const next = transitionConsumerRun(state, event);
        if (isRejection(next)) continue;
        const place = ORDER.indexOf(next.phase === 'suspended' ? next.resumePhase : next.phase);
        if (next.phase !== 'failed') {
          expect(place).toBeGreaterThanOrEqual(furthest);
          // `mutated` is reached only from `mutating`.
          if (next.phase === 'mutated') expect(furthest).toBe(ORDER.indexOf('mutating'));
          furthest = place;
        }
        state = next;
      }
    },
  );
});

describe('producer runs', () => {
  const EVENTS: ProducerTransition[] = [
    { type: 'execute' },
    suspend,
    { type: 'resume' },
    commit,
    fail,
  ];

  it('[HR-2] goes from pending through executing to committed', () => {
    const executing = transitionProducerRun({ phase: 'pending' }, { type: 'execute' });
    expect(executing).toEqual({ phase: 'executing' });
    expect(transitionProducerRun(executing as ProducerRunState, commit)).toEqual({
      phase: 'committed',
      outputState: { n: 1 },
      endedAt: 5,
    });
  });

  it('[HR-2] cannot commit before it executes, and cannot execute twice', () => {
    expect(isRejection(transitionProducerRun({ phase: 'pending' }, commit))).toBe(true);
    expect(isRejection(transitionProducerRun({ phase: 'executing' }, { type: 'execute' }))).toBe(
      true,
    );
  });

  it('[HR-3] a suspended run resumes executing and cannot commit', () => {
    const suspended = transitionProducerRun({ phase: 'executing' }, suspend) as ProducerRunState;
    expect(transitionProducerRun(suspended, { type: 'resume' })).toEqual({ phase: 'executing' });
    expect(isRejection(transitionProducerRun(suspended, commit))).toBe(true);
  });

  it('[HR-4] an ended run rejects every event', () => {
    for (const event of EVENTS) {
      const ended = { phase: 'failed', errorType: 'network', error: 'x', endedAt: 1 } as const;
      expect(isRejection(transitionProducerRun(ended, event))).toBe(true);
    }
  });
});
