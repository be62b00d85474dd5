// The state machine of a sync session between two devices: greeting, catching up in both directions,
// then live until the link ends.
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export interface SessionPeer {
  readonly deviceId: string;
  /** How far the peer's clock is ahead of ours. */
  readonly skewMs: number;
}

export interface Progress {
  readonly done: number;
  /** Known at the start; changes written meanwhile are added to `done`. */
  readonly total: number;
  readonly isCaughtUp: boolean;
}

export interface SessionEnd {
  readonly name: string;
  readonly message: string;
}

export type Direction = 'incoming' | 'outgoing';

export type SessionState =
  | { readonly name: 'greeting' }
  | {
      readonly name: 'catching-up';
      readonly peer: SessionPeer;
      /** Null if it has not started. */
      readonly incoming: Progress | null;
      readonly outgoing: Progress | null;
    }
  | {
      readonly name: 'live';
      readonly peer: SessionPeer;
      /** Changes since the session started. */
      readonly incoming: number;
      readonly outgoing: number;
    }
  | {
      /** The versions differ: both devices continue alone and sync after an update. */
      readonly name: 'update-needed';
      readonly who: 'us' | 'peer';
      readonly message: string;
    }
  | { readonly name: 'ended'; readonly end: SessionEnd };

export type SessionEvent =
  | { readonly type: 'greeted'; readonly peer: SessionPeer }
  | { readonly type: 'versions-differ'; readonly who: 'us' | 'peer'; readonly message: string }
  | { readonly type: 'begun'; readonly direction: Direction; readonly total: number }
  | { readonly type: 'moved'; readonly direction: Direction; readonly changes: number }
  | { readonly type: 'caught-up'; readonly direction: Direction }
  | { readonly type: 'ended'; readonly end: SessionEnd };

export const NEW_SESSION: SessionState = { name: 'greeting' };

export function transition(state: SessionState, event: SessionEvent): SessionState | Rejection {
  const refuse = (): Rejection => reject('session', state.name, event.type);
  switch (state.name) {
    case 'greeting':
      return greet(state, event) ?? refuse();
    case 'catching-up':
      return catchUp(state, event) ?? refuse();
    case 'live':
      return live(state, event) ?? refuse();
    case 'update-needed':
      // The link ends in this state; the state keeps its reason.
      return event.type === 'ended' ? state : refuse();
    case 'ended':
      return event.type === 'ended' ? state : refuse();
    default:
      return unreachable(state);
  }
}

type InState<Name extends SessionState['name']> = Extract<SessionState, { readonly name: Name }>;

function greet(_: InState<'greeting'>, event: SessionEvent): SessionState | null {
  switch (event.type) {
    case 'greeted':
      return { name: 'catching-up', peer: event.peer, incoming: null, outgoing: null };
    case 'versions-differ':
      return { name: 'update-needed', who: event.who, message: event.message };
    case 'ended':
      return { name: 'ended', end: event.end };
    default:
      return null;
  }
}

function catchUp(state: InState<'catching-up'>, event: SessionEvent): SessionState | null {
  switch (event.type) {
    case 'begun': {
      if (state[event.direction]) return null;
      const begun = { done: 0, total: event.total, isCaughtUp: false };
      return { ...state, [event.direction]: begun };
    }
    case 'moved': {
      const progress = state[event.direction];
      if (!progress) return null;
      const done = progress.done + event.changes;
      return { ...state, [event.direction]: { ...progress, done } };
    }
    case 'caught-up': {
      const progress = state[event.direction];
      if (!progress || progress.isCaughtUp) return null;
      return liveWhenBoth({ ...state, [event.direction]: { ...progress, isCaughtUp: true } });
    }
    case 'ended':
      return { name: 'ended', end: event.end };
    default:
      return null;
  }
}

function liveWhenBoth(state: InState<'catching-up'>): SessionState {
  const { peer, incoming, outgoing } = state;
  if (!incoming?.isCaughtUp || !outgoing?.isCaughtUp) return state;
  return { name: 'live', peer, incoming: incoming.done, outgoing: outgoing.done };
}

function live(state: InState<'live'>, event: SessionEvent): SessionState | null {
  switch (event.type) {
    case 'moved':
      return { ...state, [event.direction]: state[event.direction] + event.changes };
    case 'ended':
      return { name: 'ended', end: event.end };
    default:
      return null;
  }
}
