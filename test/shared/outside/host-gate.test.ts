import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { MAX_RETRY_AFTER_MS } from '#shared/limits.ts';
import { HostGate, MAX_TURN_WAIT_MS, type Pass } from '#shared/outside/host-gate.ts';
import { hostLimitsSchema, strictest, type HostLimit } from '#shared/outside/host-limit.ts';

const NOW = Date.UTC(2026, 0, 1);
const answered = { type: 'answered' } as const;
const askedFor = (retryAfterMs: number) => ({ type: 'asked_to_wait', retryAfterMs }) as const;

const HOW = { random: 0, hasAddress: true };

function gateWith(limit: HostLimit): HostGate {
  const gate = new HostGate();
  gate.limit = limit;
  return gate;
}

/** The workflows that are let through at this time, in order. */
function served(gate: HostGate, now: number): string[] {
  return gate.serve(now).passed.map(({ workflowId }) => workflowId);
}

describe('limits', () => {
  test('[OH-2] the strictest of each kind holds', () => {
    expect(strictest([])).toEqual({});
    expect(
      strictest([{ perSecond: 5 }, { concurrent: 3 }, { perSecond: 2, concurrent: 9 }]),
    ).toEqual({ perSecond: 2, concurrent: 3 });
  });

  test.each([
    [{}, true],
    [{ 'api.example.org': { perSecond: 5, concurrent: 2 } }, true],
    [{ '127.0.0.1:8080': { concurrent: 1 }, '[::1]:99': { perSecond: 0.1 } }, true],
    [{ 'api.example.org': {} }, false],
    [{ 'api.example.org': { perSecond: 0 } }, false],
    [{ 'api.example.org': { perSecond: -1 } }, false],
    [{ 'api.example.org': { concurrent: 1.5 } }, false],
    [{ 'api.example.org': { perMinute: 1 } }, false],
    [{ 'https://api.example.org': { perSecond: 1 } }, false],
    [{ 'api.example.org/v1': { perSecond: 1 } }, false],
    [{ '*.example.org': { perSecond: 1 } }, false],
    [{ 'API.example.org': { perSecond: 1 } }, false],
    [{ '': { perSecond: 1 } }, false],
  ])('[OH-8] %j is valid: %s', (limits, isValid) => {
    expect(hostLimitsSchema.safeParse(limits).success).toBe(isValid);
  });
});

describe('the calls to one host', () => {
  test('[OH-2] without a limit go at once', () => {
    const gate = new HostGate();
    for (const id of ['a', 'b', 'c']) gate.arrive(id);
    expect(served(gate, NOW)).toEqual(['a', 'b', 'c']);
  });

  test('[OH-2] are paced evenly, and limited at the same time', () => {
    const gate = gateWith({ perSecond: 4, concurrent: 2 });
    for (const id of ['a', 'b', 'c']) gate.arrive(id);
    expect(gate.serve(NOW)).toMatchObject({ passed: [{ workflowId: 'a' }], nextAt: NOW + 250 });
    expect(served(gate, NOW + 249)).toEqual([]);
    expect(served(gate, NOW + 250)).toEqual(['b']);
    expect(served(gate, NOW + 9000)).toEqual([]);
    gate.leave({ enteredAt: NOW, isProbe: false }, answered, NOW + 9000, HOW);
    expect(served(gate, NOW + 9000)).toEqual(['c']);
  });

  test('[OH-4] go in the order of arrival, and a run that starts over keeps its place', () => {
    const gate = gateWith({ perSecond: 0.1 });
    gate.arrive('first');
    expect(served(gate, NOW)).toEqual(['first']);
    const second = gate.arrive('second');
    expect(gate.park(second, NOW)).toBe(NOW + 10_000);
    gate.arrive('third');
    // Its turn is reserved for a moment, because its run has to begin again.
    expect(served(gate, NOW + 10_000)).toEqual([]);
    expect(gate.arrive('second')).toBe(second);
    expect(served(gate, NOW + 10_500)).toEqual(['second']);
    expect(served(gate, NOW + 20_500)).toEqual(['third']);
  });

  test('[OH-4] are not blocked by a run that does not come back', () => {
    const gate = gateWith({ perSecond: 0.1 });
    gate.arrive('first');
    gate.serve(NOW);
    gate.park(gate.arrive('gone'), NOW);
    gate.arrive('third');
    const { passed, nextAt } = gate.serve(NOW + 10_000);
    expect([passed.length, nextAt]).toEqual([0, NOW + 12_000]);
    expect(served(gate, NOW + 12_000)).toEqual(['third']);
    expect(gate.tickets).toEqual([]);
  });

  test('[OH-2] redirects go ahead of their turn, and later calls wait for up to ten of them', () => {
    const gate = gateWith({ perSecond: 1 });
    for (let n = 0; n < 3; n += 1) gate.passNow(NOW);
    gate.arrive('a');
    expect(served(gate, NOW + 2999)).toEqual([]);
    expect(served(gate, NOW + 3000)).toEqual(['a']);
    for (let n = 0; n < 50; n += 1) gate.passNow(NOW + 3000);
    gate.arrive('b');
    expect(served(gate, NOW + 12_999)).toEqual([]);
    expect(served(gate, NOW + 13_000)).toEqual(['b']);
  });

  test('[OH-2] a clock that is set back does not stop them', () => {
    const gate = gateWith({ perSecond: 1 });
    gate.arrive('a');
    gate.serve(NOW);
    gate.arrive('b');
    expect(served(gate, NOW - 86_400_000)).toEqual(['b']);
  });

  property.prop([
    fc.record({
      perSecond: fc.constantFrom(0.2, 1, 3, 50),
      concurrent: fc.constantFrom(1, 2, 5),
    }),
    fc.array(
      fc.record({
        workflow: fc.constantFrom('a', 'b', 'c', 'd'),
        after: fc.integer({ min: 0, max: 800 }),
        takes: fc.integer({ min: 0, max: 3000 }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  ])('[OH-2] [OH-4] every call goes, in order, and never more than the limit', (limit, calls) => {
    const gate = gateWith(limit);
    const starts: number[] = [];
    const order: string[] = [];
    const expected: string[] = [];
    const ends: { at: number; pass: Pass }[] = [];
    const takes = new Map<object, number>();
    let now = NOW;
    let left = [...calls];
    let nextArrival = now;
    for (
      let steps = 0;
      steps < 10_000 && (left.length > 0 || gate.tickets.length > 0);
      steps += 1
    ) {
      while (left[0] && nextArrival <= now) {
        const [{ workflow, takes: ms, after }, ...rest] = left as [(typeof calls)[0]];
        takes.set(gate.arrive(workflow), ms);
        expected.push(workflow);
        left = rest;
        nextArrival = now + after;
      }
      for (const end of ends.filter(({ at }) => at <= now)) {
        gate.leave(end.pass, answered, now, HOW);
        ends.splice(ends.indexOf(end), 1);
      }
      const { passed } = gate.serve(now);
      for (const ticket of passed) {
        starts.push(now);
        order.push(ticket.workflowId);
        ends.push({ at: now + (takes.get(ticket) ?? 0), pass: { enteredAt: now, isProbe: false } });
      }
      expect(gate.active).toBeLessThanOrEqual(limit.concurrent);
      now += 10;
    }
    expect(order).toEqual(expected);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(Math.min(Infinity, ...gaps)).toBeGreaterThanOrEqual(
      Math.floor(1000 / limit.perSecond) - 10,
    );
  });
});

describe('a host that asks to wait', () => {
  test('[OH-1] gets no call before that time, whoever asks', () => {
    const gate = new HostGate();
    const pass = gate.passNow(NOW);
    expect(gate.leave(pass, askedFor(30_000), NOW, HOW)).toEqual({ until: NOW + 30_000 });
    gate.arrive('other');
    expect(gate.serve(NOW + 29_999)).toEqual({ passed: [], nextAt: NOW + 30_000 });
    expect(gate.heldUntil(NOW + 29_999)).toBe(NOW + 30_000);
    expect(served(gate, NOW + 30_000)).toEqual(['other']);
  });

  test('[OH-1] a shorter time that it asks another call for does not end the wait earlier', () => {
    const gate = new HostGate();
    const [first, second] = [gate.passNow(NOW), gate.passNow(NOW)];
    gate.leave(first, askedFor(30_000), NOW, HOW);
    expect(gate.leave(second, askedFor(2000), NOW + 10, HOW)).toEqual({ until: NOW + 30_000 });
    expect(gate.heldUntil(NOW + 29_999)).toBe(NOW + 30_000);
  });

  test('[OH-1] a longer time than a day counts as a day, and a clock set back ends it', () => {
    const gate = new HostGate();
    const until = gate.leave(gate.passNow(NOW), askedFor(1e12), NOW, HOW);
    expect(until).toEqual({ until: NOW + MAX_RETRY_AFTER_MS });
    expect(gate.heldUntil(NOW - 1)).toBeNull();
  });

  test('[OH-7] again and again is given more time, up to five minutes, until it answers', () => {
    const gate = new HostGate();
    const waits: number[] = [];
    let now = NOW;
    for (let n = 0; n < 12; n += 1) {
      const until = gate.leave(gate.passNow(now), askedFor(0), now, HOW)?.until ?? 0;
      waits.push(until - now);
      now = until;
      // How often it asked is not forgotten between its waits.
      expect(gate.isIdle(now)).toBe(false);
    }
    expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(waits.at(-1)).toBe(300_000);
    gate.leave(gate.passNow(now), answered, now, HOW);
    expect(gate.isIdle(now)).toBe(true);
    expect(gate.leave(gate.passNow(now + 1), askedFor(0), now + 1, HOW)).toEqual({
      until: now + 1 + 1000,
    });
  });

  test('[OH-7] calls that were under way when it asked are not a second time', () => {
    const gate = new HostGate();
    const passes = Array.from({ length: 64 }, () => gate.passNow(NOW));
    for (const pass of passes) gate.leave(pass, askedFor(0), NOW + 10, HOW);
    expect(gate.heldUntil(NOW + 10)).toBe(NOW + 10 + 1000);
  });

  test('[OH-1] no answer at all neither begins nor ends a wait', () => {
    const gate = new HostGate();
    const pass = gate.passNow(NOW);
    expect(gate.leave(pass, { type: 'unanswered' }, NOW, HOW)).toBeNull();
    expect(gate.heldUntil(NOW)).toBeNull();
    expect(gate.isIdle(NOW)).toBe(true);
  });

  test('[OH-3] a call waits a few seconds at most', () => {
    expect(MAX_TURN_WAIT_MS).toBe(5000);
  });
});
