// What the lanes do after each kind of start, cell by cell.
import { describe, expect, it } from 'vitest';
import { decideLanes, type StartCheck } from '#shared/start-check.ts';

const SILENT = { hasAnswered: false, hadEverything: false };
const ANSWERED = { hasAnswered: true, hadEverything: false };
const COMPLETE = { hasAnswered: true, hadEverything: true };
const SENDING = { hasAnswered: false, hadEverything: true };

const check = (over: Partial<StartCheck>): StartCheck => ({
  reason: 'unclean_stop',
  since: 1000,
  heardAt: 1000,
  peers: [],
  isSkipped: false,
  ...over,
});

const RUN = { type: 'run' };
const PERSON = { type: 'ask_person' };
const asking = (until: number): object => ({ type: 'ask_peers', until });

describe('whether the lanes run', () => {
  it('[GB-4] after a clean stop they run at once, whoever is paired', () => {
    expect(decideLanes(check({ reason: null }), 1000)).toEqual(RUN);
    expect(decideLanes(check({ reason: null, peers: [SILENT] }), 1000)).toEqual(RUN);
  });

  it.each([
    ['no peer', [], 1000, RUN],
    ['a silent peer', [SILENT], 1000, asking(6000)],
    ['a silent peer, just before the end', [SILENT], 5999, asking(6000)],
    ['a silent peer, at the end', [SILENT], 6000, RUN],
    ['one of two answered', [ANSWERED, SILENT], 1000, asking(6000)],
    ['all answered', [ANSWERED, ANSWERED], 1000, RUN],
  ])('[GB-4] after an unclean stop: %s', (_, peers, now, decision) => {
    expect(decideLanes(check({ peers }), now)).toEqual(decision);
  });

  it.each([
    ['no peer', [], 1000, PERSON],
    ['a silent peer', [SILENT], 1000, asking(31_000)],
    ['a silent peer, at the end', [SILENT], 31_000, PERSON],
    ['a peer that had less answered', [ANSWERED], 1000, PERSON],
    ['a peer that had everything answered', [COMPLETE], 1000, RUN],
    ['it answered, another is silent', [COMPLETE, SILENT], 1000, RUN],
    ['it is still sending', [SENDING], 1000, asking(31_000)],
    ['it is still sending, at the end', [SENDING], 31_000, PERSON],
  ])('[GB-3] after the database went back: %s', (_, peers, now, decision) => {
    expect(decideLanes(check({ reason: 'went_back', peers }), now)).toEqual(decision);
  });

  it.each([
    ['it is sending', [SENDING], 1000, asking(61_000)],
    ['it is silent, at the end', [SILENT], 61_000, RUN],
    ['it answered', [ANSWERED], 1000, RUN],
  ])('[GB-5] when a peer knows more: %s', (_, peers, now, decision) => {
    expect(decideLanes(check({ reason: 'peer_knows_more', peers }), now)).toEqual(decision);
  });

  it.each([
    ['unclean_stop', RUN],
    ['peer_knows_more', RUN],
    ['went_back', PERSON],
  ] as const)('[GB-6] a person ends the wait after %s', (reason, decision) => {
    expect(decideLanes(check({ reason, peers: [SILENT], isSkipped: true }), 1000)).toEqual(
      decision,
    );
  });

  it('[GB-4] a peer that keeps sending is waited for longer, but not forever', () => {
    const sending = (heardAt: number): StartCheck => check({ heardAt, peers: [SENDING] });
    expect(decideLanes(sending(5000), 6000)).toEqual(asking(10_000));
    expect(decideLanes(sending(49_000), 50_000)).toEqual(asking(51_000));
    expect(decideLanes(sending(50_999), 51_000)).toEqual(RUN);
  });

  it('[GB-4] a clock that was set back never shortens the wait below the silence', () => {
    expect(decideLanes(check({ heardAt: 0, peers: [SILENT] }), 500)).toEqual(asking(6000));
  });
});
