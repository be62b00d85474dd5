import { describe, expect, it, vi } from 'vitest';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import type { Json } from '#shared/json.ts';

interface Watched extends EngineUnderTest {
  readonly workflowId: string;
  /** Of each prepare that was begun: how many events the database had then. */
  readonly begun: number[];
  /** Resolves when every one of them is over in the sandbox. */
  ended(): Promise<unknown>;
  /** Of each prepare that somebody was told of. */
  readonly told: string[];
  send(messageId: string, payload?: Json): ReturnType<EngineUnderTest['engine']['publish']>;
}

/** With one run behind it, so that its session is open and its lane has nothing to do. */
async function watched(source = POSTER): Promise<Watched> {
  const begun: number[] = [];
  const results: Promise<unknown>[] = [];
  const told: string[] = [];
  const around = (sandbox: Sandbox): Sandbox => ({
    ...sandbox,
    run: (request, onCalls) => {
      const { entry } = request;
      const result = sandbox.run(request, onCalls);
      if (entry.kind === 'consumer' && entry.method === 'prepare') {
        begun.push(events());
        results.push(result);
      }
      return result;
    },
  });
  const observer = {
    run: () => undefined,
    effect: () => undefined,
    batch: () => undefined,
    phase: ({ phase, runId }: { phase: string; runId: string }) => {
      if (phase === 'prepare') told.push(runId);
    },
  };
  const under = startEngine({ around, observer });
  const events = (): number => under.store.db.value<number>('SELECT count(*) FROM events') ?? 0;
  const workflowId = await under.add(source);
  await under.publish(workflowId, 'in', 'm0', 0);
  begun.length = 0;
  told.length = 0;
  const send: Watched['send'] = (messageId, payload = messageId) =>
    under.engine.publish({ workflowId, topic: 'in', messageId, title: messageId, payload });
  return { ...under, workflowId, begun, ended: () => Promise.all(results), told, send };
}

/** Reads before it decides. */
const READER = POSTER.replace(
  'if (!event) return',
  'await ctx.tools.outside.get({}); if (!event) return',
);

describe('a prepare that is begun before its event is written', () => {
  it('[EN-22] is that of the run, once', async () => {
    const { send, idle, begun, told, outside, runs, workflowId } = await watched();
    const before = begun.length;
    const sent = send('m1');
    expect(begun.length - before).toBe(1);
    await sent;
    await idle();
    expect(begun).toEqual([2]);
    const run = runs(workflowId).at(-1);
    expect(told).toEqual([run?.id]);
    expect(run).toMatchObject({ state: { phase: 'committed' }, inputState: { last: 'm0' } });
    expect(outside.arrived.map(({ params }) => params)).toEqual([{ data: 0 }, { data: 'm1' }]);
  });

  it('[EN-22] sees the event just as it is kept', async () => {
    const seen = POSTER.replace('data: event.payload', 'data: event');
    const { send, idle, outside, store, begun } = await watched(seen);
    const sent = await send('m1', { deep: [1, { x: null }], text: 'ü' });
    await idle();
    expect(begun).toEqual([2]);
    const event = store.events.get('eventId' in sent ? sent.eventId : '');
    expect(outside.arrived.at(-1)?.params).toEqual({
      data: {
        id: event?.id,
        topic: 'in',
        messageId: 'm1',
        title: 'm1',
        payload: { deep: [1, { x: null }], text: 'ü' },
        attempt: 1,
        createdAt: event?.createdAt,
      },
    });
  });

  it('[EN-22] does not count where another event came with it', async () => {
    const { send, idle, begun, told, outside, runs, workflowId } = await watched();
    await Promise.all([send('m1'), send('m2'), send('m3')]);
    await idle();
    // The first was foreseen to be alone, and was not.
    expect(begun.length).toBe(4);
    expect(told.length).toBe(3);
    expect(told).toEqual(
      runs(workflowId)
        .slice(1)
        .map(({ id }) => id),
    );
    // They came in the same moment: which goes first is nobody's promise.
    expect(outside.arrived.map(({ params }) => params)).toHaveLength(4);
    for (const data of ['m1', 'm2', 'm3']) {
      expect(outside.arrived).toContainEqual(expect.objectContaining({ params: { data } }));
    }
  });

  it('[EN-22] [EV-2] does not count where newer content came with it', async () => {
    const { send, idle, begun, told, outside } = await watched();
    await Promise.all([send('m1', 'old'), send('m1', 'new')]);
    await idle();
    expect(begun.length).toBe(2);
    expect(told.length).toBe(1);
    expect(outside.arrived.map(({ params }) => params)).toEqual([{ data: 0 }, { data: 'new' }]);
  });

  it('[EN-22] [EV-1] does not count where the message is done with', async () => {
    const { send, idle, begun, told, outside, runs, workflowId } = await watched();
    expect((await send('m0', 'again')).type).toBe('kept');
    await idle();
    expect(begun.length).toBe(1);
    expect(told).toEqual([]);
    expect(runs(workflowId).length).toBe(1);
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-22] does not count for a version that was replaced meanwhile', async () => {
    const { send, idle, add, library, begun, told, outside, workflowId } = await watched();
    await add(POSTER.replace('data: event.payload', `data: 'by the new version'`));
    const sent = send('m1');
    expect(begun.length).toBe(1);
    library.activate(workflowId);
    await sent;
    await idle();
    expect(begun.length).toBe(2);
    expect(told.length).toBe(1);
    expect(outside.arrived.at(-1)?.params).toEqual({ data: 'by the new version' });
  });

  it('[EN-22] asks nothing of the outside where nothing is published', async () => {
    const { send, idle, begun, ended, outside, told } = await watched(READER);
    outside.reads.push({ type: 'ok', result: 'not asked for' });
    const sent = await send('m1', 'x'.repeat(MAX_PAYLOAD_BYTES));
    await ended();
    await idle();
    expect(sent.type).toBe('payload_too_large');
    expect(begun.length).toBe(1);
    expect(outside.reads.length).toBe(1);
    expect(told).toEqual([]);
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-22] that could not be written leaves the next one its chance', async () => {
    const { send, idle, begun, told, engine, outside } = await watched();
    vi.spyOn(engine.context.commits, 'commit').mockRejectedValueOnce(new Error('the disk is full'));
    await expect(send('m1')).rejects.toThrow('the disk is full');
    // In the same moment, so that nothing tells it from the first but that the first was given up.
    const sent = send('m1');
    expect(begun.length).toBe(2);
    await sent;
    await idle();
    expect(begun.length).toBe(2);
    expect(told.length).toBe(1);
    expect(outside.arrived.map(({ params }) => params)).toEqual([{ data: 0 }, { data: 'm1' }]);
  });

  it('[EN-22] that was given up is not taken up again', async () => {
    const { send, idle, begun, told, engine, outside, store, workflowId } = await watched();
    vi.spyOn(engine.context.commits, 'commit').mockRejectedValueOnce(new Error('the disk is full'));
    await expect(send('m1')).rejects.toThrow('the disk is full');
    const topic = store.topics.ensure(workflowId, 'in');
    store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: 'm1' });
    engine.wake(workflowId);
    await idle();
    expect(begun.length).toBe(2);
    expect(told.length).toBe(1);
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-22] reads once its event is there', async () => {
    const { send, idle, begun, outside, told } = await watched(READER);
    outside.reads.push({ type: 'ok', result: 'asked for' });
    await send('m1');
    await idle();
    expect(begun).toEqual([2]);
    expect(outside.reads.length).toBe(0);
    expect(told.length).toBe(1);
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-22] that cannot say what it used still makes its event the one to blame', async () => {
    const silent = POSTER.replace(
      'if (!event) return',
      `if (event?.messageId === 'm1') { Promise.reject(new Error('lost')); await new Promise(() => {}); }
       if (!event) return`,
    );
    const { send, idle, pass, store, outside } = await watched(silent);
    const sent = await send('m1');
    await idle();
    for (let tries = 0; tries < 3; tries += 1) await pass(120_000);
    const event = store.events.get('eventId' in sent ? sent.eventId : '');
    expect(event?.state).toMatchObject({ status: 'skipped', reason: 'set_aside' });
    expect(outside.arrived.length).toBe(1);
  });
});

describe('what prepare() returns', () => {
  it('[EN-23] may reserve events that hold more than it may return', async () => {
    const { send, idle, outside, runs, workflowId } = await watched();
    const large = 'x'.repeat(0.6 * MAX_PAYLOAD_BYTES);
    await send('m1', large);
    await idle();
    expect(runs(workflowId).at(-1)?.state.phase).toBe('committed');
    expect(outside.arrived.at(-1)?.params).toEqual({ data: large });
  });
});
