import { setImmediate } from 'node:timers/promises';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  encodeControl,
  FRAME,
  PROTOCOL_VERSION,
  type ControlMessage,
  type Hello,
} from '#main/sync/session/control-messages.ts';
import {
  SYNC_ANSWER_MS,
  SYNC_FRAME_CHANGES,
  SYNC_PUSH_WINDOW_MS,
  SYNC_WINDOW_FRAMES,
} from '#shared/limits.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { SessionState } from '#shared/sync/session.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { addWorkflow, openStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { linkPair } from '#test/sync/session/memory-link.ts';
import {
  AT_ONCE,
  clockForAll,
  connect,
  device,
  deviceOf,
  settle,
  type Connection,
  type Device,
} from '#test/sync/session/two-devices.ts';

function publish(at: Device, from: number, to: number): void {
  const topic = at.store.topics.ensure('w', 'mail');
  for (let n = from; n < to; n += 1) {
    at.store.events.publish({ topic, messageId: `${at.id}-${n}`, title: `Mail ${n}`, payload: n });
  }
}

const changeFrames = ({ link }: Connection): number =>
  link.delivered.filter((frame) => frame[0] === FRAME.changes).length;

const nameOf = (state: SessionState): string =>
  state.name === 'ended' ? `ended: ${state.end.name}` : state.name;

const helloOf = (id: string, clock: VirtualClock): ControlMessage => ({
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  schema: device(id, clock).context.schema.version,
  fingerprint: device(id, clock).context.schema.fingerprint,
  device: id,
  space: 'space-1',
  site: 'ab'.repeat(16),
  lineages: [{ id: 'l', end: 0 }],
  now: clock.now(),
});

describe('sync session', () => {
  it('[SS-1] two devices exchange all rows and become live', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    addWorkflow(one.store, 'w', 'code');
    publish(one, 0, 20);
    publish(other, 0, 10);
    const connection = connect(one, other);
    await settle(clock, connection);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    expect(connection.sessions.map(({ state }) => state.name)).toEqual(['live', 'live']);
    expect(one.warnings).toEqual([]);
  });

  it('[SS-2] later writes are sent together after a short window', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    const connection = connect(one, other);
    await settle(clock, connection);
    const before = changeFrames(connection);
    publish(one, 0, 30);
    await clock.advance(SYNC_PUSH_WINDOW_MS - 1);
    expect(changeFrames(connection)).toBe(before);
    await settle(clock, connection);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    expect(changeFrames(connection)).toBe(before + 1);
  });

  it('[SS-2] a write without a recorded change is sent too', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    addWorkflow(one.store, 'w');
    const connection = connect(one, other);
    await settle(clock, connection);
    one.store.db.write(() => one.store.db.run('UPDATE workflows SET consumer_sleep_until = 77'));
    await settle(clock, connection);
    expect(other.store.db.value('SELECT consumer_sleep_until FROM workflows')).toBe(77);
  });

  it('[SS-2] a version that was rolled back and reused is sent', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    addWorkflow(one.store, 'w');
    const connection = connect(one, other);
    await settle(clock, connection);
    const { db, settings } = one.store;
    db.write(() => {
      try {
        db.write(() => {
          db.run('UPDATE workflows SET consumer_sleep_until = 1');
          throw new Error('rolled back');
        });
      } catch {
        settings.set('something', 'local');
      }
    });
    await settle(clock, connection);
    settings.set('something', 'else');
    db.write(() => db.run('UPDATE workflows SET consumer_sleep_until = 2'));
    await settle(clock, connection);
    expect(other.store.db.value('SELECT consumer_sleep_until FROM workflows')).toBe(2);
  });

  it('[SS-2] a write during the last frame of a first sync is sent', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 5);
    let isWritten = false;
    const tamper = (frame: Uint8Array): Uint8Array => {
      if (!isWritten && Buffer.from(frame).includes('"caught-up"')) {
        isWritten = true;
        publish(one, 5, 6);
        publish(other, 0, 1);
      }
      return frame;
    };
    await settle(clock, connect(one, other, { tamper }));
    expect(other.store.db.value('SELECT count(*) FROM events')).toBe(7);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
  });

  it('[SS-5] when a session has caught up, its cursor is past the versions that came from the device itself', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 20);
    const first = connect(one, other);
    await settle(clock, first);
    first.link.cut();
    await settle(clock, connect(one, other));
    const { peerCursors } = one.store;
    expect(peerCursors.get('b')?.version).toBe(other.store.lineages.version());
  });

  it("[SS-3] a device's own changes are not sent back, in this session or the next", async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 400);
    const first = connect(one, other);
    await settle(clock, first);
    const sent = changeFrames(first);
    publish(one, 400, 401);
    await settle(clock, first);
    expect(changeFrames(first)).toBe(sent + 1);
    expect(first.sessions[0].state).toMatchObject({ name: 'live', incoming: 0 });
    first.link.cut();
    const second = connect(one, other);
    await settle(clock, second);
    expect(second.sessions[0].state).toMatchObject({ name: 'live', incoming: 0, outgoing: 0 });
  });

  it('[SS-3] a local write in the transaction of a merge is sent to the peer', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 1);
    const { db } = other.store;
    db.exec(`CREATE TRIGGER answer AFTER INSERT ON merged_versions
      BEGIN INSERT INTO workflows (id) VALUES ('made in the same transaction'); END`);
    const connection = connect(one, other);
    await settle(clock, connection);
    const made = `SELECT 1 FROM workflows WHERE id = 'made in the same transaction'`;
    expect(one.store.db.value(made)).toBe(1);
  });

  it('[SS-4] changes are passed on through a third device', async () => {
    const clock = clockForAll();
    const [one, middle, other] = [device('a', clock), device('m', clock), device('b', clock)];
    const connections = [connect(one, middle), connect(middle, other)];
    await settle(clock, ...connections);
    publish(one, 0, 25);
    publish(other, 0, 5);
    await settle(clock, ...connections);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    expect(dumpRows(middle.store.db)).toEqual(dumpRows(one.store.db));
    expect(one.store.db.value('SELECT count(*) FROM events')).toBe(30);
  });

  it('[SS-5] sessions that are cut anywhere continue at the cursor and converge', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 700);
    one.store.db.write(() => publish(one, 700, 1000));
    publish(other, 0, 300);
    let seen = 0;
    let attempts = 0;
    for (let cutAfter = 1; ; cutAfter += 1) {
      attempts += 1;
      const connection = connect(one, other, { cutAfter });
      await settle(clock, connection);
      const version = other.store.peerCursors.get('a')?.version ?? 0;
      expect(version).toBeGreaterThanOrEqual(seen);
      seen = version;
      if (connection.sessions.every(({ state }) => state.name === 'live')) break;
      expect(connection.sessions.map(({ state }) => nameOf(state))).toContain('ended: cut');
    }
    expect(attempts).toBeGreaterThan(5);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
  });

  it('[SS-5] a session that a full disk ends says so, and the next one continues', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    const topic = one.store.topics.ensure('w', 'mail');
    const payload = 'y'.repeat(100_000);
    one.store.events.publish({ topic, messageId: 'm', title: 'Large', payload });
    const { db } = other.store;
    db.pragma(`max_page_count = ${String(db.pragma('page_count'))}`);
    const first = connect(one, other);
    await settle(clock, first);
    expect(nameOf(first.sessions[1].state)).toBe('ended: disk-full');
    expect(other.warnings).toEqual(['disk-full']);
    db.pragma('max_page_count = 100000');
    await settle(clock, connect(one, other));
    expect(dumpRows(db)).toEqual(dumpRows(one.store.db));
  });

  it('[CS-3] parts that a cut session left are dropped by the next session', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    other.store.peerCursors.stage('a', 0, Buffer.of(1));
    other.store.peerCursors.stage('c', 0, Buffer.of(1));
    await settle(clock, connect(one, other));
    const { peerCursors } = other.store;
    expect([peerCursors.stagedParts('a'), peerCursors.stagedParts('c')]).toEqual([0, 1]);
  });

  it('[SS-6] devices with different schemas report update-needed, exchange nothing, and sync after the update', async () => {
    const clock = clockForAll();
    const [one, newer] = [device('a', clock), device('b', clock)];
    const { schema } = newer.context;
    const later = { ...schema, version: schema.version + 1, fingerprint: 'f'.repeat(64) };
    publish(one, 0, 3);
    const connection = connect(one, { ...newer, context: { ...newer.context, schema: later } });
    await settle(clock, connection);
    expect(connection.sessions[0].state).toMatchObject({ name: 'update-needed', who: 'us' });
    expect(connection.sessions[1].state).toMatchObject({ name: 'update-needed', who: 'peer' });
    expect(newer.store.db.value('SELECT count(*) FROM events')).toBe(0);
    const updated = connect(one, newer);
    await settle(clock, updated);
    expect(newer.store.db.value('SELECT count(*) FROM events')).toBe(3);
  });

  it('[SS-13] devices whose migrations differ only in indexes and local tables sync', async () => {
    const clock = clockForAll();
    const one = device('a', clock);
    const later = openStore('b', undefined, AT_ONCE, clock);
    later.db.exec(`
      CREATE INDEX later_index ON events (id, facts);
      CREATE TABLE later_local (id TEXT PRIMARY KEY) STRICT;
      CREATE TRIGGER later_trigger AFTER INSERT ON events WHEN false BEGIN SELECT 1; END;
      PRAGMA user_version = 99`);
    const newer = deviceOf(later);
    publish(one, 0, 3);
    publish(newer, 3, 5);
    const connection = connect(one, newer);
    await settle(clock, connection);
    expect(connection.sessions.map(({ state }) => state.name)).toEqual(['live', 'live']);
    for (const { store } of [one, newer]) {
      expect(store.db.value('SELECT count(*) FROM events')).toBe(5);
    }
  });

  it('[SS-13] [SS-6] another synced column or table needs an update, whatever the level says', async () => {
    for (const change of [
      `SELECT crsql_begin_alter('events');
       ALTER TABLE events ADD COLUMN later TEXT;
       SELECT crsql_commit_alter('events')`,
      `CREATE TABLE later (id TEXT NOT NULL PRIMARY KEY, facts TEXT) STRICT;
       SELECT crsql_as_crr('later')`,
    ]) {
      const clock = clockForAll();
      const one = device('a', clock);
      const later = openStore('b', undefined, AT_ONCE, clock);
      later.db.exec(change);
      later.db.exec('PRAGMA user_version = 99');
      publish(one, 0, 3);
      const connection = connect(one, deviceOf(later));
      await settle(clock, connection);
      expect(connection.sessions[0].state).toMatchObject({ name: 'update-needed', who: 'us' });
      expect(connection.sessions[1].state).toMatchObject({ name: 'update-needed', who: 'peer' });
      expect(later.db.value('SELECT count(*) FROM events')).toBe(0);
    }
  });

  it('[SS-13] [SS-6] a hello of an earlier version, which has no fingerprint, needs an update there', async () => {
    const clock = clockForAll();
    const one = device('a', clock);
    const link = linkPair({ ids: ['a', 'b'] });
    link.ends[1].onFrame(() => undefined);
    const { Session } = await import('#main/sync/session/session.ts');
    const session = new Session(one.context, link.ends[0]);
    session.start();
    const { fingerprint: _, ...earlier } = helloOf('b', clock) as Hello;
    const hello = { ...earlier, protocol: 2 };
    await link.ends[1].send(Buffer.from(`\u0001${JSON.stringify(hello)}`));
    await settle(clock);
    expect(session.state).toMatchObject({ name: 'update-needed', who: 'peer' });
    expect(session.state).toHaveProperty('message', expect.stringContaining('is older'));
  });

  it('[GB-5] a device tells a peer that went back how far it had got', async () => {
    const clock = clockForAll();
    const path = join(tempFolder(), 'test.db');
    const [one, other] = [device('a', clock, path), device('b', clock)];
    const snapshot = join(tempFolder(), 'test.db');
    const connection = connect(one, other);
    await settle(clock, connection);
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, snapshot + suffix);
    publish(one, 0, 3);
    await settle(clock, connection);
    const had = other.store.peerCursors.get('a');
    connection.link.cut();
    const back = device('a', clock, snapshot);
    const told: unknown[] = [];
    const link = linkPair({ ids: ['a', 'b'] });
    const { Session } = await import('#main/sync/session/session.ts');
    const ignore = (): void => undefined;
    const ours = new Session(back.context, link.ends[0], ignore, ignore, (got) => told.push(got));
    const theirs = new Session(other.context, link.ends[1]);
    for (const session of [ours, theirs]) session.start();
    await settle(clock, { link, sessions: [ours, theirs], states: [[], []] });
    expect(told).toEqual([had]);
    expect(back.store.db.value('SELECT count(*) FROM events')).toBe(3);
  });

  it('[SS-6] a hello of a newer protocol results in update-needed', async () => {
    const clock = clockForAll();
    const one = device('a', clock);
    const link = linkPair({ ids: ['a', 'b'] });
    const hello = { type: 'hello', protocol: PROTOCOL_VERSION + 1, unknown: [] };
    link.ends[1].onFrame(() => undefined);
    const { Session } = await import('#main/sync/session/session.ts');
    const session = new Session(one.context, link.ends[0]);
    session.start();
    await link.ends[1].send(Buffer.from(`\u0001${JSON.stringify(hello)}`));
    await settle(clock);
    expect(session.state).toMatchObject({ name: 'update-needed', who: 'us' });
  });

  it('[SS-7] a peer of another space, with a false id or with our identity is refused', async () => {
    const clock = clockForAll();
    const one = device('a', clock);
    publish(one, 0, 3);
    const stranger = device('b', clock);
    const cases: [string, Device][] = [
      ['other-space', { ...stranger, context: { ...stranger.context, spaceId: 'space-2' } }],
      ['wrong-device', { ...stranger, context: { ...stranger.context, deviceId: 'c' } }],
      ['same-device', { ...stranger, context: { ...stranger.context, db: one.store.db } }],
      ['same-device', device('a', clock)],
    ];
    for (const [name, peer] of cases) {
      const connection = connect(one, peer);
      await settle(clock, connection);
      expect(nameOf(connection.sessions[0].state)).toBe(`ended: ${name}`);
      expect(connection.states[0].at(-1)).toHaveProperty(
        'end.message',
        expect.stringContaining('Nothing was synced'),
      );
    }
    expect(one.warnings).toEqual(cases.map(([name]) => name));
    expect(stranger.store.db.value('SELECT count(*) FROM events')).toBe(0);
  });

  it('[SS-8] a malformed frame ends the link, is logged once and writes nothing', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 5);
    const tamper = (frame: Uint8Array): Uint8Array => {
      if (frame[0] !== FRAME.changes) return frame;
      return Buffer.concat([frame.subarray(0, 8), Buffer.of(0xff, 0xff), frame.subarray(10)]);
    };
    const connection = connect(one, other, { tamper });
    await settle(clock, connection);
    expect(nameOf(connection.sessions[1].state)).toBe('ended: malformed-frame');
    expect(nameOf(connection.sessions[0].state)).toBe('ended: closed');
    expect(other.warnings).toEqual(['malformed-frame']);
    expect(other.store.db.value('SELECT count(*) FROM events')).toBe(0);
    expect(other.store.peerCursors.get('a')).toBe(null);
  });

  it('[SS-8] an unreadable message or one out of order ends the session', async () => {
    const clock = clockForAll();
    const hello = helloOf('b', clock);
    const greeting = encodeControl(hello);
    const want = encodeControl({ type: 'want', after: 0, had: null });
    const control = (text: string): Uint8Array => Buffer.from(`\u0001${text}`);
    const cases: [string, Uint8Array[]][] = [
      ['malformed-frame', [Buffer.of(9)]],
      ['malformed-frame', [Buffer.alloc(0)]],
      ['malformed-frame', [control('{')]],
      ['malformed-frame', [control(`{"type":"hello","protocol":${PROTOCOL_VERSION}}`)]],
      ['malformed-frame', [control(`"${'x'.repeat(70_000)}"`)]],
      ['malformed-frame', [Buffer.concat([greeting, Buffer.alloc(70_000, ' ')])]],
      ['no-hello', [want]],
      ['malformed-frame', [Buffer.of(FRAME.changes, 0, 0)]],
      ['malformed-frame', [greeting, greeting]],
      ['malformed-frame', [greeting, encodeControl({ type: 'ack', version: 1 })]],
      ['malformed-frame', [greeting, encodeControl({ type: 'caught-up' })]],
      ['malformed-frame', [greeting, want, want]],
      ['malformed-frame', [greeting, want, encodeControl({ type: 'ack', version: 0 })]],
    ];
    const { Session } = await import('#main/sync/session/session.ts');
    for (const [name, frames] of cases) {
      const one = device('a', clock);
      const link = linkPair({ ids: ['a', 'b'] });
      link.ends[1].onFrame(() => undefined);
      const session = new Session(one.context, link.ends[0]);
      session.start();
      for (const frame of frames) await link.ends[1].send(frame).catch(() => undefined);
      await settle(clock);
      expect([frames.at(-1), nameOf(session.state)]).toEqual([frames.at(-1), `ended: ${name}`]);
    }
  });

  it('[SS-9] a peer that confirms nothing gets only as many frames as the window has', async () => {
    const clock = clockForAll();
    const one = device('a', clock);
    one.store.db.write(() => publish(one, 0, 1200));
    const { Session } = await import('#main/sync/session/session.ts');
    const link = linkPair({ ids: ['a', 'b'] });
    link.ends[1].onFrame(() => undefined);
    const session = new Session(one.context, link.ends[0]);
    session.start();
    await link.ends[1].send(encodeControl(helloOf('b', clock)));
    await link.ends[1].send(encodeControl({ type: 'want', after: 0, had: null }));
    await settle(clock);
    const frames = link.delivered.filter((frame) => frame[0] === FRAME.changes);
    expect(frames).toHaveLength(SYNC_WINDOW_FRAMES);
    expect(session.state).toMatchObject({ name: 'catching-up', outgoing: { isCaughtUp: false } });
  });

  it('[SS-9] a session ends as no-answer when a hello or a confirmation is overdue', async () => {
    const clock = clockForAll();
    const one = device('a', clock);
    const { Session } = await import('#main/sync/session/session.ts');
    const silent = linkPair({ ids: ['a', 'b'] });
    silent.ends[1].onFrame(() => undefined);
    const session = new Session(one.context, silent.ends[0]);
    session.start();
    await clock.advance(SYNC_ANSWER_MS - 1);
    expect(session.state.name).toBe('greeting');
    await clock.advance(1);
    expect(nameOf(session.state)).toBe('ended: no-answer');

    const other = device('b', clock);
    const connection = connect(one, other);
    await settle(clock, connection);
    await clock.advance(SYNC_ANSWER_MS * 3);
    expect(connection.sessions[0].state.name).toBe('live');
    connection.link.ends[1].onFrame(() => undefined);
    publish(one, 0, 1);
    await settle(clock, connection);
    await clock.advance(SYNC_ANSWER_MS - 1000);
    expect(connection.sessions[0].state.name).toBe('live');
    await clock.advance(2000);
    expect(nameOf(connection.sessions[0].state)).toBe('ended: no-answer');
  });

  it('[SS-9] a peer that confirms slowly, but each time in time, is not timed out', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    const connection = connect(one, other);
    await settle(clock, connection);
    const [, peer] = connection.link.ends;
    let frames = 0;
    peer.onFrame(() => void (frames += 1));
    for (let n = 0; n < 3; n += 1) {
      publish(one, n, n + 1);
      await settle(clock, connection);
    }
    expect(frames).toBe(3);
    for (let n = 0; n < 3; n += 1) {
      await clock.advance(SYNC_ANSWER_MS - 5000);
      expect(connection.sessions[0].state.name).toBe('live');
      const version = one.store.lineages.version();
      await peer.send(encodeControl({ type: 'ack', version }));
      await setImmediate();
    }
    // Everything is confirmed, so nothing is owed.
    await clock.advance(SYNC_ANSWER_MS * 2);
    expect(connection.sessions[0].state.name).toBe('live');
  });

  it('[SS-9] devices that have confirmed everything stay live while nothing is written', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 20);
    const connection = connect(one, other);
    await settle(clock, connection);
    await clock.advance(10 * SYNC_ANSWER_MS);
    expect(connection.sessions.map(({ state }) => nameOf(state))).toEqual(['live', 'live']);
  });

  it('[SS-5] a session that was cut no longer listens to commits', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    const { changes } = one.store.db;
    const { onCommit } = changes;
    let listeners = 0;
    changes.onCommit = (listener) => {
      const stop = onCommit.call(changes, listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        stop();
      };
    };
    const connection = connect(one, other);
    await settle(clock, connection);
    expect(listeners).toBe(1);
    connection.link.cut();
    expect(listeners).toBe(0);
  });

  it('[SS-10] a first sync reports its progress as changes of a total', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 500);
    const connection = connect(one, other);
    await settle(clock, connection);
    const progress = connection.states[1].flatMap((state) =>
      state.name === 'catching-up' && state.incoming ? [state.incoming] : [],
    );
    const total = one.store.db.value<number>('SELECT count(*) FROM crsql_changes');
    expect(progress.length).toBeGreaterThan(4);
    expect(new Set(progress.map((step) => step.total))).toEqual(new Set([total]));
    const done = progress.map((step) => step.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.at(-1)).toBe(total);
    const steps = done.map((value, index) => value - (done[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(SYNC_FRAME_CHANGES + 10);
  });

  it("[SS-11] a peer's clock difference is reported and doesn't prevent syncing", async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    const behind = 3_600_000;
    const late: VirtualClock = {
      ...clock,
      now: () => clock.now() - behind,
      wakeAt: (time, wake) => clock.wakeAt(time + behind, wake),
    };
    const connection = connect(one, { ...other, context: { ...other.context, clock: late } });
    await settle(clock, connection);
    expect(connection.sessions[0].state).toMatchObject({
      name: 'live',
      peer: { skewMs: -3_600_000 },
    });
    expect(one.warnings).toEqual(['notice']);
  });

  it('[CS-10] a restored device gets its own lost changes back and sends its new ones', async () => {
    const clock = clockForAll();
    const [one, other, third] = [device('a', clock), device('b', clock), device('c', clock)];
    publish(one, 0, 20);
    publish(other, 0, 5);
    const first = [connect(one, other), connect(one, third)];
    await settle(clock, ...first);
    const backup = join(tempFolder(), 'backup.db');
    one.store.db.pragma('wal_checkpoint(TRUNCATE)');
    copyFileSync(one.store.path, backup);
    publish(one, 20, 40);
    publish(other, 5, 6);
    await settle(clock, ...first);
    for (const { link } of first) link.cut();

    // The restored device assigns the same versions to other changes.
    const restored = device('a', clock, backup);
    publish(restored, 100, 130);
    expect(restored.store.lineages.version()).toBeGreaterThan(one.store.lineages.version());
    const again = connect(restored, other);
    await settle(clock, again);
    expect(restored.store.db.value('SELECT count(*) FROM events')).toBe(76);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(restored.store.db));
    expect(other.warnings).toEqual(['notice']);
    again.link.cut();

    // The cursor is rewound only once.
    const later = connect(restored, other);
    await settle(clock, later);
    expect(later.sessions[0].state).toMatchObject({ name: 'live', incoming: 0, outgoing: 0 });
    expect(other.warnings).toEqual(['notice']);
    later.link.cut();

    const withThird = connect(restored, third);
    await settle(clock, withThird);
    expect(dumpRows(third.store.db)).toEqual(dumpRows(restored.store.db));
  });

  it('[CS-10] a new database with a known device id receives everything again', async () => {
    const clock = clockForAll();
    const [one, other] = [device('a', clock), device('b', clock)];
    publish(one, 0, 20);
    publish(other, 0, 20);
    const first = connect(one, other);
    await settle(clock, first);
    first.link.cut();
    openStore('a');
    const fresh = device('a', clock);
    publish(fresh, 50, 51);
    const again = connect(fresh, other);
    await settle(clock, again);
    expect(fresh.store.db.value('SELECT count(*) FROM events')).toBe(41);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(fresh.store.db));
  });
});
