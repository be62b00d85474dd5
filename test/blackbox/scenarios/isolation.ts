// One workflow that misbehaves must not be felt by another.
import { expectSame, expectThat } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import type { Workflow } from '#test/blackbox/harness/workflow.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const isolation = theme('isolation');
const { scenario } = isolation;

/** The rule says 100 ms; the rest is for a machine whose cores the loop keeps busy. */
const ALLOWED_MS = 500;

const ONE = `
  const [event] = await ctx.peek('in', { limit: 1 });
  if (!event) return;`;

const MISBEHAVIOUR: { readonly [name: string]: string } = {
  'computes without end': `${ONE} for (;;);`,
  'fills its memory': `${ONE} const all = []; for (;;) all.push(new Array(1e5).fill(all.length));`,
  'calls itself without end': `${ONE} const again = () => again() + 1; return { data: again() };`,
  'prints without end': `${ONE} for (let n = 0; n < 1e6; n += 1) console.log('line', n);`,
};

/** The longest of several filings, each begun when the one before was seen at the service. */
async function slowest(w: World, invoices: Workflow, round: string): Promise<number> {
  const outside = await w.outside();
  let longest = 0;
  for (let n = 1; n <= 8; n += 1) {
    const before = outside.count();
    const from = performance.now();
    await invoices.publish(`${round}-${n}`, n);
    await w.until(
      'it was filed',
      () => outside.count(),
      (count) => count > before,
    );
    longest = Math.max(longest, performance.now() - from);
  }
  return Math.round(longest);
}

for (const [what, prepare] of Object.entries(MISBEHAVIOUR)) {
  scenario(
    `a workflow that ${what} does not slow another one down`,
    async (w) => {
      const host = await w.ownHost();
      const invoices = await w.filing(host);
      const bad = await w.filing(host, { base: 'bad', prepare });
      const alone = await slowest(w, invoices, 'alone');
      for (let n = 1; n <= 3; n += 1) await bad.publish(`b-${n}`, n);
      await w.until(
        'it has begun',
        () => bad.view(),
        ({ isBusy, failing }) => isBusy || failing.length > 0,
      );
      const beside = await slowest(w, invoices, 'beside');
      expectThat(
        'the slowest invoice is not much slower',
        beside - alone <= ALLOWED_MS,
        `${alone} ms alone, ${beside} ms beside it`,
      );
    },
    { alone: true, patient: true },
  );
}

scenario('a workflow that waits for a slow service does not hold up another one', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const slow = await w.filing(host, {
    base: 'slow',
    mutate: `await ctx.tools.http.post({ url: '${outside.url}/slow', json: 1 });`,
  });
  const quick = await w.filing(host, { base: 'quick' });
  const held = outside.hold('/slow');
  await slow.publish('s-1', 1);
  await held.arrived;
  await quick.publish('q-1', 1);
  await quick.untilCommitted(1);
  held.release();
  await slow.untilCommitted(1);
});

scenario('a workflow that keeps failing does not stop another one', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const bad = await w.filing(host, { base: 'bad', prepare: `${ONE} throw new Error('no');` });
  const good = await w.filing(host, { base: 'good' });
  for (let n = 1; n <= 5; n += 1) {
    await bad.publish(`b-${n}`, n);
    await good.publish(`g-${n}`, n);
  }
  await good.untilCommitted(5);
  expectSame('what was filed', outside.count(), 5);
});

scenario(
  'an unknown outcome of one workflow does not stop another one',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const lost = await w.filing(host, {
      base: 'lost',
      mutate: `await ctx.tools.http.post({ url: '${outside.url}/lost', json: 1 });`,
    });
    const good = await w.filing(host, { base: 'good' });
    outside.script('/lost', 'lose the answer');
    await lost.publish('l-1', 1);
    await lost.untilUnknown();
    await good.publish('g-1', 1);
    await good.untilCommitted(1);
  },
  { quick: true },
);

scenario(
  'what one run leaves in its globals is gone in the next',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), {
      prepare: `${ONE}
      const seen = [globalThis.left ?? 'nothing', Object.prototype.left ?? 'nothing'];
      globalThis.left = 'something';
      Object.prototype.left = 'something';
      return { reservations: [event], data: seen };`,
    });
    await invoices.publish('1', 1);
    await invoices.publish('2', 2);
    await invoices.untilCommitted(2);
    expectSame('what they saw', outside.bodies(), [
      ['nothing', 'nothing'],
      ['nothing', 'nothing'],
    ]);
  },
  { quick: true },
);

scenario('a step has no file system, no network and no process of its own', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), {
    prepare: `${ONE}
      const names = ['process', 'require', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Deno', 'Bun'];
      return { reservations: [event], data: names.filter((name) => name in globalThis) };`,
  });
  await invoices.publish('1', 1);
  await invoices.untilCommitted(1);
  expectSame('what it found', outside.bodies(), [[]]);
});
