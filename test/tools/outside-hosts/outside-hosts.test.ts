// The hosts of a device with a virtual clock: waits, limits that change, restarts.
import { describe, expect, test } from 'vitest';
import {
  OutsideHosts,
  type HostVisit,
  type HostWait,
} from '#main/tools/outside-hosts/outside-hosts.ts';
import { doorwayOfEffect, doorwayOfRead, heldBack } from '#main/tools/outside-hosts/doorway.ts';
import type { HostLimit } from '#shared/outside/host-limit.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

const HOST = 'api.example.org';

function device(limits: { [host: string]: HostLimit[] } = {}, clock = createVirtualClock()) {
  let saved: { readonly [host: string]: number } = {};
  let open: { readonly [host: string]: number } = {};
  const start = (): OutsideHosts =>
    new OutsideHosts({
      clock,
      random: () => 0,
      limitsOf: (host) => limits[host] ?? [],
      holds: {
        load: () => saved,
        save: (holds) => {
          saved = JSON.parse(JSON.stringify(holds)) as typeof saved;
        },
      },
      circuits: {
        load: () => open,
        save: (circuits) => {
          open = JSON.parse(JSON.stringify(circuits)) as typeof open;
        },
      },
    });
  return { clock, limits, start, hosts: start() };
}

const never = new AbortController().signal;

async function entered(asked: Promise<HostVisit | HostWait>): Promise<HostVisit> {
  const outcome = await asked;
  if (outcome.type === 'waits') throw new Error(`waits until ${outcome.until}`);
  return outcome;
}

describe('a call', () => {
  test('[OH-2] of any workflow counts towards the limit of its host, and of no other host', async () => {
    const { hosts, clock } = device({ [HOST]: [{ perSecond: 1 }] });
    await entered(hosts.enter(HOST, 'w1', never));
    await entered(hosts.enter('other.example.org', 'w1', never));
    let isIn = false;
    const second = hosts.enter(HOST, 'w2', never).then((outcome) => {
      isIn = outcome.type === 'entered';
    });
    await clock.advance(999);
    expect(isIn).toBe(false);
    await clock.advance(1);
    await second;
    expect(isIn).toBe(true);
  });

  test('[OH-3] that would wait for more than a few seconds learns at once when to come back', async () => {
    const { hosts, clock } = device({ [HOST]: [{ perSecond: 0.1 }] });
    await entered(hosts.enter(HOST, 'w1', never));
    const at = clock.now();
    expect(await hosts.enter(HOST, 'w2', never)).toEqual({
      type: 'waits',
      host: HOST,
      until: at + 10_000,
    });
    expect(await hosts.enter(HOST, 'w3', never)).toMatchObject({ until: at + 20_000 });
    await clock.advance(10_000);
    await entered(hosts.enter(HOST, 'w2', never));
    expect(await hosts.enter(HOST, 'w4', never)).toMatchObject({ until: at + 30_000 });
  });

  test('[OH-2] waits for one of the calls under way, and gives up after a few seconds', async () => {
    const { hosts, clock } = device({ [HOST]: [{ concurrent: 1 }] });
    const first = await entered(hosts.enter(HOST, 'w1', never));
    const second = hosts.enter(HOST, 'w2', never);
    first.leave({ type: 'answered' });
    const visit = await entered(second);
    const third = hosts.enter(HOST, 'w3', never);
    await clock.advance(5000);
    expect(await third).toMatchObject({ type: 'waits', until: clock.now() + 5000 });
    // Leaving twice frees one place only.
    visit.leave({ type: 'answered' });
    visit.leave({ type: 'answered' });
    expect(hosts.list()).toMatchObject([{ active: 0, waiting: 1 }]);
  });

  test('[OH-3] stops waiting when the host stops, and its place is free', async () => {
    const { hosts } = device({ [HOST]: [{ concurrent: 1 }] });
    const first = await entered(hosts.enter(HOST, 'w1', never));
    const stopping = new AbortController();
    const waiting = hosts.enter(HOST, 'w2', stopping.signal);
    stopping.abort();
    expect(await waiting).toMatchObject({ type: 'waits' });
    expect(await hosts.enter(HOST, 'w2', stopping.signal)).toMatchObject({ type: 'waits' });
    first.leave({ type: 'answered' });
    expect(hosts.list()).toEqual([]);
  });

  test('[OH-2] a limit that is removed frees those who wait', async () => {
    const { hosts, limits } = device({ [HOST]: [{ concurrent: 1 }] });
    await entered(hosts.enter(HOST, 'w1', never));
    const second = hosts.enter(HOST, 'w2', never);
    limits[HOST] = [];
    hosts.limitsChanged();
    await entered(second);
  });
});

describe('a host that asks to wait', () => {
  test('[OH-1] is asked by no workflow before that time', async () => {
    const { hosts, clock } = device();
    const visit = await entered(hosts.enter(HOST, 'w1', never));
    const until = clock.now() + 60_000;
    const wait = { type: 'waits', host: HOST, until };
    expect(visit.leave({ type: 'asked_to_wait', retryAfterMs: 60_000 })).toEqual(wait);
    expect(await hosts.enter(HOST, 'w2', never)).toEqual(wait);
    expect(hosts.enterNow(HOST)).toEqual(wait);
    await entered(hosts.enter('other.example.org', 'w2', never));
    await clock.advance(60_000);
    await entered(hosts.enter(HOST, 'w2', never));
  });

  test('[OH-5] is not asked before that time by the next start either', async () => {
    const { hosts, clock, start } = device();
    const visit = await entered(hosts.enter(HOST, 'w1', never));
    visit.leave({ type: 'asked_to_wait', retryAfterMs: 60_000 });
    const until = clock.now() + 60_000;
    const next = start();
    expect(next.list()).toMatchObject([{ host: HOST, heldUntil: until }]);
    expect(await next.enter(HOST, 'w2', never)).toMatchObject({ type: 'waits', until });
    await clock.advance(60_000);
    await entered(next.enter(HOST, 'w2', never));
  });
});

describe('the way out of one call', () => {
  test('[OH-3] an effect uses the turn that it got, unless the host asked to wait since', async () => {
    const { hosts } = device({ [HOST]: [{ concurrent: 1 }] });
    const visit = await entered(hosts.enter(HOST, 'w1', never));
    const doorway = doorwayOfEffect(hosts, visit);
    expect(await doorway.enter(HOST)).toBe(visit);
    const late = doorwayOfEffect(hosts, visit);
    visit.leave({ type: 'asked_to_wait', retryAfterMs: 1000 });
    expect(await late.enter(HOST)).toMatchObject({ type: 'waits' });
  });

  test('[OH-3] a redirect never waits, and counts', async () => {
    const { hosts } = device({ [HOST]: [{ concurrent: 1 }] });
    const doorway = doorwayOfRead(hosts, 'w1', never);
    await doorway.enter(HOST);
    await doorway.enter(HOST);
    expect(hosts.list()).toMatchObject([{ active: 2 }]);
    doorway.close();
    expect(hosts.list()).toEqual([]);
  });

  test('[OH-1] a call that is held back names the host and the time, and counts as no attempt', () => {
    const until = Date.UTC(2026, 0, 1, 14, 5);
    expect(heldBack({ type: 'waits', host: HOST, until })).toEqual({
      errorType: 'network',
      error:
        'Waiting for api.example.org until 2026-01-01T14:05:00.000Z. Nothing was sent. Holdfast retries automatically.',
      waitsFor: { host: HOST, until },
    });
  });
});
