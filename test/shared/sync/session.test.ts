import { describe, expect, it } from 'vitest';
import { isRejection } from '#shared/rejection.ts';
import { transition, type SessionEvent, type SessionState } from '#shared/sync/session.ts';

const peer = { deviceId: 'b', skewMs: 0 };
const end = { name: 'cut', message: 'Cut.' };
const half = { done: 5, total: 9, isCaughtUp: false };

const states: SessionState[] = [
  { name: 'greeting' },
  { name: 'catching-up', peer, incoming: null, outgoing: half },
  { name: 'live', peer, incoming: 1, outgoing: 2 },
  { name: 'update-needed', who: 'us', message: 'Update.' },
  { name: 'ended', end },
];
const events: SessionEvent[] = [
  { type: 'greeted', peer },
  { type: 'versions-differ', who: 'peer', message: 'Update.' },
  { type: 'begun', direction: 'incoming', total: 3 },
  { type: 'begun', direction: 'outgoing', total: 3 },
  { type: 'moved', direction: 'outgoing', changes: 4 },
  { type: 'moved', direction: 'incoming', changes: 4 },
  { type: 'caught-up', direction: 'outgoing' },
  { type: 'caught-up', direction: 'incoming' },
  { type: 'ended', end: { name: 'other', message: 'Other.' } },
];

describe('session state machine', () => {
  it('[SS-12] each state accepts exactly these events', () => {
    const taken = states.map((state) =>
      events.flatMap((event) => {
        const next = transition(state, event);
        if (isRejection(next)) return [];
        const direction = 'direction' in event ? ` ${event.direction}` : '';
        return [`${state.name} + ${event.type}${direction} → ${next.name}`];
      }),
    );
    expect(taken).toEqual([
      [
        'greeting + greeted → catching-up',
        'greeting + versions-differ → update-needed',
        'greeting + ended → ended',
      ],
      [
        'catching-up + begun incoming → catching-up',
        'catching-up + moved outgoing → catching-up',
        'catching-up + caught-up outgoing → catching-up',
        'catching-up + ended → ended',
      ],
      ['live + moved outgoing → live', 'live + moved incoming → live', 'live + ended → ended'],
      ['update-needed + ended → update-needed'],
      ['ended + ended → ended'],
    ]);
  });

  it('[SS-12] becomes live when both directions have caught up, and continues the counts', () => {
    const done = { done: 9, total: 9, isCaughtUp: true };
    const state: SessionState = { name: 'catching-up', peer, incoming: done, outgoing: half };
    const live = transition(state, { type: 'caught-up', direction: 'outgoing' });
    expect(live).toEqual({ name: 'live', peer, incoming: 9, outgoing: 5 });
    expect(
      transition(live as SessionState, { type: 'moved', direction: 'incoming', changes: 2 }),
    ).toMatchObject({ incoming: 11, outgoing: 5 });
  });

  it('[SS-12] a direction catches up once, and only after it has begun', () => {
    const done = { done: 9, total: 9, isCaughtUp: true };
    const state: SessionState = { name: 'catching-up', peer, incoming: done, outgoing: null };
    const refused = (event: SessionEvent): boolean => isRejection(transition(state, event));
    expect(refused({ type: 'caught-up', direction: 'incoming' })).toBe(true);
    expect(refused({ type: 'caught-up', direction: 'outgoing' })).toBe(true);
    expect(refused({ type: 'begun', direction: 'incoming', total: 1 })).toBe(true);
    expect(refused({ type: 'moved', direction: 'outgoing', changes: 1 })).toBe(true);
  });

  it('[SS-12] an ended session keeps its first reason', () => {
    const ended: SessionState = { name: 'ended', end };
    expect(transition(ended, events.at(-1) as SessionEvent)).toBe(ended);
  });
});
