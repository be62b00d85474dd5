// What a device remembers of the versions that came from a peer, and what it sends because of it.
import { describe, expect, it } from 'vitest';
import { ChangeReader, siteOf } from '#main/sync/changes/change-reader.ts';
import type { Change } from '#main/sync/changes/change.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { changeSetsOf, framesOf, mergeInto } from '#test/sync/changes/two-stores.ts';

function publish(store: OpenStore, from: number, to: number): void {
  const topic = store.topics.ensure('w', 'mail');
  for (let n = from; n < to; n += 1) {
    const messageId = `${store.context.deviceId}-${n}`;
    store.events.publish({ topic, messageId, title: `Mail ${n}`, payload: n });
  }
}

/** What a session with this peer sends from the start. */
function sentTo(peerId: string, from: OpenStore, frameChanges: number): Change[] {
  const reader = new ChangeReader({
    db: from.db,
    after: 0,
    newest: () => from.lineages.version(),
    skip: (version) => from.peerCursors.mergedFrom(peerId, version),
    frameChanges,
  });
  const sent: Change[] = [];
  while (reader.hasMore) sent.push(...(reader.next()?.changes ?? []));
  return sent;
}

const siteIn = (store: OpenStore): string => Buffer.from(siteOf(store.db)).toString('hex');
const sitesOf = (changes: readonly Change[]): Set<string> =>
  new Set(changes.map(({ site }) => Buffer.from(site).toString('hex')));
const ownChanges = (store: OpenStore): unknown =>
  store.db.value('SELECT count(*) FROM crsql_changes WHERE site_id = crsql_site_id()');

describe('changes that came from a peer', () => {
  it('[SS-3] are not sent back to it, wherever its versions begin and end among ours', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    for (const round of [0, 1, 2]) {
      publish(other, round * 3, round * 3 + 3);
      publish(one, round * 3, round * 3 + 3);
      const after = other.peerCursors.get('device-a')?.version ?? 0;
      for (const frame of framesOf(one, after)) mergeInto(other, 'device-a', frame);
    }
    publish(other, 90, 93);
    const sent = sentTo('device-a', other, 1000);
    expect(sitesOf(sent)).toEqual(new Set([siteIn(other)]));
    expect(sent.length).toBe(ownChanges(other));
    expect(sitesOf(sentTo('device-c', other, 1000)).size).toBe(2);
  });

  it('[SS-3] are left out also of a local transaction that takes several frames', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publish(one, 0, 20);
    other.db.write(() => {
      publish(other, 0, 20);
      for (const frame of framesOf(one)) mergeInto(other, 'device-a', frame);
    });
    expect(other.peerCursors.mergedFrom('device-a', 1)).toEqual({ from: 1, to: 1 });
    const sent = sentTo('device-a', other, 7);
    expect(sitesOf(sent)).toEqual(new Set([siteIn(other)]));
    expect(sent.length).toBe(ownChanges(other));
  });

  it('[DV-6] do not count as lacking, and local changes in the same transaction do', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publish(one, 0, 5);
    other.db.write(() => {
      for (const frame of framesOf(one)) mergeInto(other, 'device-a', frame);
      publish(other, 0, 2);
    });
    const all = other.db.value<number>('SELECT count(*) FROM crsql_changes');
    const lacked = (peerId: string): unknown => other.peerCursors.lackedBy(peerId, 0).changes;
    expect([lacked('device-a'), lacked('device-c')]).toEqual([ownChanges(other), all]);
    expect(ownChanges(other)).not.toBe(all);
  });

  it('[SS-3] are remembered until the peer has confirmed the whole range', () => {
    const { peerCursors } = openStore();
    for (const version of [5, 6, 7]) peerCursors.recordMerged('peer', version);
    peerCursors.recordMerged('other', 6);
    peerCursors.forgetMergedUpTo('peer', 6);
    expect(peerCursors.mergedFrom('peer', 1)).toEqual({ from: 5, to: 7 });
    peerCursors.forgetMergedUpTo('peer', 7);
    expect(peerCursors.mergedFrom('peer', 1)).toBe(undefined);
    expect(peerCursors.mergedFrom('other', 1)).toEqual({ from: 6, to: 6 });
  });
});

it('[CS-3] the parts of two peers are staged side by side', () => {
  const stores = [openStore('device-a'), openStore('device-b')] as const;
  const to = openStore('device-c');
  const sets = stores.map((store) => {
    store.db.write(() => publish(store, 0, 30));
    return changeSetsOf(store, 0, { frameChanges: 30 }).map(encodeChangeSet);
  });
  const [ofOne = [], ofOther = []] = sets;
  expect(ofOne.length).toBe(ofOther.length);
  for (const [place, frame] of ofOne.entries()) {
    mergeInto(to, 'device-a', frame);
    mergeInto(to, 'device-b', ofOther[place] as Buffer);
  }
  expect(to.db.value('SELECT count(*) FROM events')).toBe(60);
  expect(to.db.value('SELECT count(*) FROM staged_changes')).toBe(0);
});
