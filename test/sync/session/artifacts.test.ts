// Artifacts over a link: what a peer answers, and what a hostile one can do.
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  encodeArtifact,
  encodeControl,
  FRAME,
  PROTOCOL_VERSION,
} from '#main/sync/session/control-messages.ts';
import { Session } from '#main/sync/session/session.ts';
import {
  MAX_STORED_ARTIFACT_BYTES,
  SYNC_ANSWER_MS,
  SYNC_MAX_ARTIFACT_REQUESTS,
} from '#shared/limits.ts';
import type { SessionState } from '#shared/sync/session.ts';
import { linkPair } from '#test/sync/session/memory-link.ts';
import {
  clockForAll,
  connect,
  device,
  settle,
  type Device,
} from '#test/sync/session/two-devices.ts';

const CONTENT = Buffer.from('the source ledger');
const REF = hash('sha256', CONTENT);

const sharing = (from: Device, shared: Device['context']['sharedArtifact']): Device => ({
  ...from,
  context: { ...from.context, sharedArtifact: shared },
});

const nameOf = (state: SessionState): string =>
  state.name === 'ended' ? `ended: ${state.end.name}` : state.name;

/** One real device, and a peer that says what the test wants. */
async function withPeer(one: (clock: ReturnType<typeof clockForAll>) => Device) {
  const clock = clockForAll();
  const us = one(clock);
  const link = linkPair({ ids: ['a', 'b'] });
  const received: Buffer[] = [];
  link.ends[1].onFrame((frame) => void received.push(Buffer.from(frame)));
  const session = new Session(us.context, link.ends[0]);
  session.start();
  const say = async (frame: Uint8Array): Promise<void> => {
    await link.ends[1].send(frame).catch(() => undefined);
    for (let turn = 0; turn < 8; turn += 1) await setImmediate();
  };
  await say(
    encodeControl({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      schema: us.context.schema.version,
      fingerprint: us.context.schema.fingerprint,
      device: 'b',
      space: 'space-1',
      site: 'ab'.repeat(16),
      lineages: [{ id: 'l', end: 0 }],
      now: clock.now(),
    }),
  );
  await say(encodeControl({ type: 'want', after: 0, had: null }));
  return { clock, session, say, received };
}

const us = (clock: ReturnType<typeof clockForAll>): Device => device('a', clock);

describe('artifacts over a link', () => {
  it('[AF-10] a device fetches the content of an artifact that the other one shares, and no other', async () => {
    const clock = clockForAll();
    const asked: string[][] = [];
    const other = sharing(device('b', clock), async (run, sha256) => {
      asked.push([run, sha256]);
      return run === 'run-1' ? CONTENT : undefined;
    });
    const connection = connect(device('a', clock), other);
    await settle(clock, connection);
    const [session] = connection.sessions;
    expect(await session.fetchArtifact('run-1', REF)).toEqual(CONTENT);
    expect(await session.fetchArtifact('run-2', REF)).toBe(null);
    expect(asked).toEqual([
      ['run-1', REF],
      ['run-2', REF],
    ]);
    expect(session.state.name).toBe('live');
  });

  it('[AF-10] more requests than a peer takes at once wait, and all are answered', async () => {
    const clock = clockForAll();
    let open = 0;
    let most = 0;
    const other = sharing(device('b', clock), async () => {
      open += 1;
      most = Math.max(most, open);
      await setImmediate();
      open -= 1;
      return CONTENT;
    });
    const connection = connect(device('a', clock), other);
    await settle(clock, connection);
    const requests = Array.from({ length: SYNC_MAX_ARTIFACT_REQUESTS * 3 }, () =>
      connection.sessions[0].fetchArtifact('run-1', REF),
    );
    const contents = await Promise.all(requests);
    expect(contents.every((content) => content?.length === CONTENT.length)).toBe(true);
    expect(most).toBeLessThanOrEqual(SYNC_MAX_ARTIFACT_REQUESTS);
  });

  it('[AF-10] a file that can not be read is answered as none, and syncing goes on', async () => {
    const clock = clockForAll();
    const other = sharing(device('b', clock), async () => {
      throw new Error('damaged');
    });
    const connection = connect(device('a', clock), other);
    await settle(clock, connection);
    expect(await connection.sessions[0].fetchArtifact('run-1', REF)).toBe(null);
    expect(connection.sessions.map(({ state }) => state.name)).toEqual(['live', 'live']);
  });

  it('[AF-11] wrong bytes, too many bytes, a frame without a request, and one that nobody asked for end the session', async () => {
    const huge = Buffer.alloc(MAX_STORED_ARTIFACT_BYTES + 1);
    const cases: [string, Uint8Array, string][] = [
      ['wrong bytes', encodeArtifact(1, Buffer.from('something else')), REF],
      ['too many bytes', encodeArtifact(1, huge), hash('sha256', huge)],
      ['no request number', Buffer.of(FRAME.artifact, 0, 0), REF],
      ['another number', encodeArtifact(2, CONTENT), REF],
      ['none for another number', encodeControl({ type: 'artifact-none', id: 7 }), REF],
    ];
    for (const [what, frame, ref] of cases) {
      const { session, say } = await withPeer(us);
      const content = session.fetchArtifact('run-1', ref);
      await say(frame);
      expect([what, await content]).toEqual([what, null]);
      expect([what, nameOf(session.state)]).toEqual([what, 'ended: malformed-frame']);
    }
  });

  it('[AF-11] an answer is taken once: endless bytes end the session', async () => {
    const { session, say } = await withPeer(us);
    const content = session.fetchArtifact('run-1', REF);
    await say(encodeArtifact(1, CONTENT));
    expect(await content).toEqual(CONTENT);
    await say(encodeArtifact(1, CONTENT));
    expect(nameOf(session.state)).toBe('ended: malformed-frame');
  });

  it('[AF-11] a hash that is a path, a foreign request and huge counts are refused unread', async () => {
    const cases: object[] = [
      { type: 'artifact-want', id: 1, run: 'run-1', sha256: '../../../etc/passwd' },
      { type: 'artifact-want', id: 1, run: 'run-1', sha256: REF.toUpperCase() },
      { type: 'artifact-want', id: 2 ** 40, run: 'run-1', sha256: REF },
      { type: 'artifact-want', id: 1, run: 'r'.repeat(1000), sha256: REF },
      { type: 'artifact-want', id: 1, run: 'run-1', sha256: REF, bytes: 1e9 },
    ];
    for (const message of cases) {
      let reads = 0;
      const { session, say } = await withPeer((clock) =>
        sharing(us(clock), async () => {
          reads += 1;
          return CONTENT;
        }),
      );
      await say(Buffer.from(`\u0001${JSON.stringify(message)}`));
      expect(nameOf(session.state)).toBe('ended: malformed-frame');
      expect(reads).toBe(0);
    }
  });

  it('[AF-11] a peer that asks for more than it may at once is cut off', async () => {
    const never = new Promise<undefined>(() => undefined);
    let reads = 0;
    const { session, say } = await withPeer((clock) =>
      sharing(us(clock), () => {
        reads += 1;
        return never;
      }),
    );
    const most = 2 * SYNC_MAX_ARTIFACT_REQUESTS;
    for (let id = 1; id <= most; id += 1) {
      await say(encodeControl({ type: 'artifact-want', id, run: 'run-1', sha256: REF }));
    }
    expect(nameOf(session.state)).not.toContain('ended');
    await say(encodeControl({ type: 'artifact-want', id: 99, run: 'run-1', sha256: REF }));
    expect(nameOf(session.state)).toBe('ended: malformed-frame');
    expect(reads).toBe(most);
  });

  it('[AF-11] before the hello nothing is answered, and a peer that never answers ends the session', async () => {
    const clock = clockForAll();
    let reads = 0;
    const one = sharing(us(clock), async () => {
      reads += 1;
      return CONTENT;
    });
    const link = linkPair({ ids: ['a', 'b'] });
    link.ends[1].onFrame(() => undefined);
    const early = new Session(one.context, link.ends[0]);
    early.start();
    await link.ends[1].send(
      encodeControl({ type: 'artifact-want', id: 1, run: 'run-1', sha256: REF }),
    );
    await settle(clock);
    expect([nameOf(early.state), reads]).toEqual(['ended: no-hello', 0]);

    const silent = await withPeer(us);
    await silent.say(encodeControl({ type: 'begin', total: 0 }));
    await silent.say(encodeControl({ type: 'caught-up' }));
    const content = silent.session.fetchArtifact('run-1', REF);
    await silent.clock.advance(SYNC_ANSWER_MS + 1);
    expect(await content).toBe(null);
    expect(nameOf(silent.session.state)).toBe('ended: no-answer');
  });
});
