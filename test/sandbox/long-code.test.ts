// Code that computes for long beside other code in the same sandbox.
import { describe, expect, it } from 'vitest';
import { createLongCode } from '#main/sandbox/long-code.ts';
import { LONG_CODE_MS, MAX_JOURNAL_CHARS, MAX_LONG_CODES } from '#main/sandbox/limits.ts';
import { Journal } from '#main/sandbox/open-phase.ts';
import type { HostCall, OnCalls, PhaseRequest } from '#main/sandbox/sandbox.ts';
import { createReplayableClock } from '#main/sandbox/thread/replayable-clock.ts';
import { answerWith, createPhases } from '#test/sandbox/phases.ts';

const LOOP = 'for (;;);';
/** Computes for some 200 ms and ends. */
const LONG = 'let n = 0; for (let i = 0; i < 3e6; i += 1) n += i % 7;';

function recorder(value: (call: HostCall, index: number) => string): {
  readonly calls: HostCall[];
  readonly onCalls: OnCalls;
} {
  const calls: HostCall[] = [];
  const onCalls: OnCalls = async (asked) =>
    asked.map((call) => {
      calls.push(call);
      return { type: 'value', value: value(call, calls.length) };
    });
  return { calls, onCalls };
}

describe('code that computes for long', () => {
  it('[SB-14] endless loops in one thread let other phases end long before the loops do', async () => {
    const { run, value } = createPhases();
    expect(await value('return 0')).toBe(0);
    let ended = 0;
    const loops = ['a', 'b'].map((name) =>
      run(`/* ${name} */ ${LOOP}`, { limits: { cpuMs: 700, wallMs: 600_000 } }).finally(
        () => (ended += 1),
      ),
    );
    for (let n = 1; n <= 20; n += 1) expect(await value(`return ${n}`)).toBe(n);
    expect(ended).toBe(0);
    for (const loop of await Promise.all(loops)) {
      expect(loop).toMatchObject({ type: 'failed', cause: 'limit' });
    }
  });

  it('[SB-14] loops beyond the number of own threads wait for one another, not the other phases', async () => {
    const { run, value } = createPhases();
    let ended = 0;
    const loops = Array.from({ length: 6 }, (_, n) =>
      run(`/* ${n} */ ${LOOP}`, { limits: { cpuMs: 300, wallMs: 600_000 } }).finally(
        () => (ended += 1),
      ),
    );
    expect(await value('return 1')).toBe(1);
    expect(ended).toBeLessThan(6);
    const messages = (await Promise.all(loops)).map((end) => end.type === 'failed' && end.message);
    expect(new Set(messages)).toEqual(new Set(['The code computed for longer than 300 ms.']));
  });

  it('[SB-14] a call in a built-in function that cannot be interrupted does not keep other phases waiting', async () => {
    const { run, value } = createPhases();
    expect(await value('return 0')).toBe(0);
    let isDone = false;
    const stuck = run(`return 'x'.repeat(2 ** 23).indexOf('x'.repeat(2 ** 16) + 'y')`, {
      limits: { cpuMs: 60_000, wallMs: 3000 },
    }).finally(() => (isDone = true));
    const waiting = run(`return [await ctx.peek('a'), await ctx.peek('b')]`, {
      onCalls: answerWith('got'),
    });
    expect(await waiting).toMatchObject({ type: 'returned', value: ['got', 'got'] });
    expect(isDone).toBe(false);
    expect(await stuck).toMatchObject({ type: 'failed', cause: 'limit' });
  });

  it('[SB-15] a phase that is moved makes no call twice, prints no line twice and reads the same clock and random numbers', async () => {
    const { run } = createPhases();
    const { calls, onCalls } = recorder((_call, index) => `answer ${index}`);
    const body = `
      const seen = [Date.now(), Math.random()];
      console.log('first');
      const a = await ctx.tools.http.get({ url: 'https://a.example/' + seen.join('/') });
      seen.push(Date.now());
      const b = await ctx.tools.http.get({ url: 'https://b.example/' + seen.join('/') });
      console.log('second');
      ${LONG}
      const c = await ctx.tools.http.get({ url: 'https://c.example' });
      return { seen, answers: [a, b, c] }`;
    const end = await run(body, { onCalls });
    if (end.type !== 'returned') throw new Error(JSON.stringify(end));
    const { seen, answers } = end.value as { seen: number[]; answers: string[] };
    expect(answers).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(calls.map((call) => call.op === 'tool' && (call.params as { url: string }).url)).toEqual(
      [
        `https://a.example/${seen.slice(0, 2).join('/')}`,
        `https://b.example/${seen.join('/')}`,
        'https://c.example',
      ],
    );
    expect(end.logs.map(({ text }) => text)).toEqual(['first', 'second']);
  });

  it('[SB-15] a moved phase with large replies makes no call twice', async () => {
    const { run } = createPhases();
    const { calls, onCalls } = recorder(() => 'x'.repeat(MAX_JOURNAL_CHARS * 0.3));
    const get = (n: number): string =>
      `length += (await ctx.tools.http.get({ url: 'https://a.example/${n}' })).length;`;
    const end = await run(`let length = 0; ${get(1)} ${get(2)} ${get(3)} ${LONG} return 1`, {
      onCalls,
    });
    expect(end).toMatchObject({ type: 'returned', value: 1 });
    expect(calls.map((call) => call.op === 'tool' && call.params)).toEqual(
      [1, 2, 3].map((n) => ({ url: `https://a.example/${n}` })),
    );
  });

  it('[SB-15] a phase that ends with its call and is moved before makes the call once', async () => {
    const { run } = createPhases();
    const calls: HostCall[] = [];
    const end = await run(`${LONG} await ctx.tools.http.post({ url: 'https://a.example' });`, {
      endsWithCalls: true,
      onCalls: async (asked) => {
        calls.push(...asked);
        return asked.map(() => ({ type: 'stop' }));
      },
    });
    expect(end.type).toBe('stopped');
    expect(calls).toHaveLength(1);
  });

  it('[SB-15] events that a moved phase publishes without waiting reach the host once', async () => {
    const { run } = createPhases();
    const { calls, onCalls } = recorder(() => '');
    const event = (n: number): string => `{ messageId: '${n}', title: 't', payload: ${n} }`;
    const end = await run(
      `await ctx.publish('out', ${event(1)});
       await ctx.tools.http.get({ url: 'https://a.example' });
       await ctx.publish('out', ${event(2)});
       ${LONG}
       await ctx.publish('out', ${event(3)}); return 1`,
      { onCalls, prefetched: { publishes: ['out'] } },
    );
    expect(end).toMatchObject({ type: 'returned', value: 1 });
    const published = calls.flatMap((call) => (call.op === 'publish' ? [call.event] : []));
    expect(published).toMatchObject([{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
  });

  it('[SB-15] a moved phase has the wall time that is left', async () => {
    const { failure } = createPhases();
    const from = performance.now();
    const failed = await failure(`await ctx.peek('a'); ${LOOP}`, {
      limits: { wallMs: 600, cpuMs: 60_000 },
      onCalls: async (calls) => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return answerWith(null)(calls);
      },
    });
    expect(failed.message).toBe('The phase took longer than 600 ms.');
    expect(performance.now() - from).toBeGreaterThan(600);
  });
});

const request = (code: string): PhaseRequest => ({
  code,
  fileName: 'a.ts',
  entry: { kind: 'describe' },
  args: [],
  tools: {},
  values: { now: 0, seed: '', runId: '' },
  limits: { cpuMs: 1, wallMs: 1 },
});

describe('what is remembered of code that computes for long', () => {
  it('[SB-14] it is remembered by its text and handler, for a while, and only so many', () => {
    let now = 0;
    const long = createLongCode(() => now);
    long.add(request('a'));
    expect(long.has(request('a'))).toBe(true);
    expect(long.has(request('b'))).toBe(false);
    const other = {
      ...request('a'),
      entry: { kind: 'producer', name: 'p', method: 'run' },
    } as const;
    expect(long.has(other)).toBe(false);
    now = LONG_CODE_MS;
    expect(long.has(request('a'))).toBe(false);
    for (let n = 0; n <= MAX_LONG_CODES; n += 1) long.add(request(String(n)));
    expect(long.has(request('0'))).toBe(false);
    expect(long.has(request('1'))).toBe(true);
  });

  it('[SB-15] a journal that is too long, or misses clock readings, is full and keeps what it has', async () => {
    const entry = (text: string) => ({
      calls: '[]',
      answer: Promise.resolve({ type: 'replies', text } as const),
    });
    const long = new Journal();
    const [first, second] = [entry('x'.repeat(MAX_JOURNAL_CHARS)), entry('x')];
    long.add(first, []);
    await first.answer;
    expect(long.isFull).toBe(false);
    long.add(second, []);
    await second.answer;
    expect(long.isFull).toBe(true);
    long.add(entry(''), []);
    expect([0, 1, 2].map((index) => long.at(index))).toEqual([first, second, undefined]);
    const unclear = new Journal();
    unclear.add(entry(''), null);
    expect([unclear.isFull, unclear.at(0)]).toEqual([true, undefined]);
  });

  it('[SB-15] the clock repeats earlier readings, then goes on', () => {
    const clock = createReplayableClock([1, 2], () => 7);
    expect([clock.read(), clock.read(), clock.read()]).toEqual([1, 2, 7]);
    expect(clock.take()).toEqual([1, 2, 7]);
    for (let n = 0; n < 2000; n += 1) clock.read();
    expect(clock.take()).toBeNull();
    expect(clock.take()).toEqual([]);
  });
});
