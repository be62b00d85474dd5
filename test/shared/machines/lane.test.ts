import { describe, expect, it } from 'vitest';
import {
  LANE_EVENTS,
  laneAfter,
  mustFinish,
  type AfterWork,
  type LaneEvent,
  type LaneState,
} from '#shared/machines/lane.ts';

const IDLE: LaneState = { type: 'idle' };
const HELD: LaneState = { type: 'held' };
const STOPPED: LaneState = { type: 'stopped' };
const working = (next: AfterWork): LaneState => ({ type: 'working', next });

type Row = { readonly [event in LaneEvent]: LaneState };

const TABLE: readonly (readonly [LaneState, Row])[] = [
  [
    IDLE,
    { wake: working('idle'), hold: HELD, release: working('idle'), stop: STOPPED, done: IDLE },
  ],
  [HELD, { wake: HELD, hold: HELD, release: working('idle'), stop: STOPPED, done: HELD }],
  [STOPPED, { wake: STOPPED, hold: STOPPED, release: STOPPED, stop: STOPPED, done: STOPPED }],
  [
    working('idle'),
    {
      wake: working('look_again'),
      hold: working('hold'),
      release: working('look_again'),
      stop: working('stop'),
      done: IDLE,
    },
  ],
  [
    working('look_again'),
    {
      wake: working('look_again'),
      hold: working('hold'),
      release: working('look_again'),
      stop: working('stop'),
      done: working('idle'),
    },
  ],
  [
    working('hold'),
    {
      wake: working('hold'),
      hold: working('hold'),
      release: working('look_again'),
      stop: working('stop'),
      done: HELD,
    },
  ],
  [
    working('stop'),
    {
      wake: working('stop'),
      hold: working('stop'),
      release: working('stop'),
      stop: working('stop'),
      done: STOPPED,
    },
  ],
];

const name = (state: LaneState): string =>
  state.type === 'working' ? `working, then ${state.next}` : state.type;

describe('lane state machine', () => {
  for (const [state, row] of TABLE) {
    for (const event of LANE_EVENTS) {
      it(`[EN-26] ${name(state)}, on ${event}: ${name(row[event])}`, () => {
        expect(laneAfter(state, event)).toEqual(row[event]);
      });
    }
  }

  it('[EN-26] only a lane that works and is not to hold or stop begins another run', () => {
    const begins = TABLE.map(([state]) => state).filter((state) => !mustFinish(state));
    expect(begins).toEqual([working('idle'), working('look_again')]);
  });
});
