// The decision about the lanes after each kind of start, cell by cell.
import { describe, expect, it } from 'vitest';
import { decideLanes, type AskedPeer, type StartCheck } from '#shared/start-check.ts';

const peer = (over: Partial<AskedPeer> = {}): AskedPeer => ({
  since: 1000,
  heardAt: 1000,
  hasAnswered: false,
  knowsMore: false,
  hadEverything: false,
  ...over,
});
const SILENT = peer();
const ANSWERED = peer({ hasAnswered: true });
const KNOWS_MORE = peer({ knowsMore: true });
const COMPLETE = peer({ hasAnswered: true, knowsMore: true, hadEverything: true });
const SENDING = peer({ knowsMore: true, hadEverything: true });

const check = (reason: StartCheck['reason'], peers: readonly AskedPeer[]): StartCheck => ({
  reason,
  peers,
  isSkipped: false,
});

const RUN = { type: 'run' };
const PERSON = { type: 'ask_person' };
const asking = (until: number): object => ({ type: 'ask_peers', until });

describe('whether the lanes run', () => {
  it('[GB-4] after a clean stop they run at once, with or without peers', () => {
    expect(decideLanes(check(null, []), 1000)).toEqual(RUN);
    expect(decideLanes(check(null, [SILENT]), 1000)).toEqual(RUN);
  });

  it.each([
    ['no peer', [], 1000, RUN],
    ['a silent peer', [SILENT], 1000, asking(6000)],
    ['a silent peer, just before the end', [SILENT], 5999, asking(6000)],
    ['a silent peer, at the end', [SILENT], 6000, RUN],
    ['one of two answered', [ANSWERED, SILENT], 1000, asking(6000)],
    ['all answered', [ANSWERED, ANSWERED], 1000, RUN],
    ['one of two knows more', [KNOWS_MORE, SILENT], 6000, asking(61_000)],
    ['it answered, the other one is silent', [COMPLETE, SILENT], 1000, asking(6000)],
  ])('[GB-4] after an unclean stop: %s', (_, peers, now, decision) => {
    expect(decideLanes(check('unclean_stop', peers), now)).toEqual(decision);
  });

  it.each([
    ['no peer', [], 1000, PERSON],
    ['a silent peer', [SILENT], 1000, asking(31_000)],
    ['a silent peer, at the end', [SILENT], 31_000, PERSON],
    ['a peer that had less answered', [ANSWERED], 1000, PERSON],
    ['a peer that had everything answered', [COMPLETE], 1000, RUN],
    ['it answered, another is silent', [COMPLETE, SILENT], 1000, RUN],
    ['it is still sending', [SENDING], 1000, asking(61_000)],
    ['it fell silent', [SENDING], 61_000, PERSON],
  ])('[GB-3] after the database went back: %s', (_, peers, now, decision) => {
    expect(decideLanes(check('went_back', peers), now)).toEqual(decision);
  });

  it.each([
    ['it is sending', [KNOWS_MORE], 1000, asking(61_000)],
    ['it fell silent', [KNOWS_MORE], 61_000, RUN],
    ['it answered', [COMPLETE], 1000, RUN],
  ])('[GB-5] when a peer knows more: %s', (_, peers, now, decision) => {
    expect(decideLanes(check('peer_knows_more', peers), now)).toEqual(decision);
  });

  it.each([
    ['unclean_stop', RUN],
    ['peer_knows_more', RUN],
    ['went_back', PERSON],
  ] as const)('[GB-6] a person ends the wait after %s', (reason, decision) => {
    const skipped = { ...check(reason, [SILENT]), isSkipped: true };
    expect(decideLanes(skipped, 1000)).toEqual(decision);
  });

  it('[GB-4] a peer that keeps sending is waited for longer, but not forever', () => {
    const sending = (heardAt: number): StartCheck => check('unclean_stop', [peer({ heardAt })]);
    expect(decideLanes(sending(5000), 6000)).toEqual(asking(10_000));
    expect(decideLanes(sending(49_000), 50_000)).toEqual(asking(51_000));
    expect(decideLanes(sending(50_999), 51_000)).toEqual(RUN);
  });

  it('[GB-4] a clock that was set back never shortens the wait below the silence', () => {
    expect(decideLanes(check('unclean_stop', [peer({ heardAt: 0 })]), 500)).toEqual(asking(6000));
  });
});
