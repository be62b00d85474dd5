// Producers and their times: at once, later, missed, overlapping, moved by the clock.
import { expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { producer, workflowSource } from '#test/blackbox/harness/source.ts';
import type { RunView } from '#test/blackbox/harness/views.ts';
import type { Workflow } from '#test/blackbox/harness/workflow.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const schedules = theme('schedules');
const { scenario } = schedules;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Publishes its count each time. */
const COUNTING = `
  const n = (state?.n ?? 0) + 1;
  await ctx.publish('in', { id: 'n' + n, title: 'Report ' + n, payload: n });
  return { n };`;

function reports(w: World, host: Host, schedule: string): Promise<Workflow> {
  return w.filing(host, {
    base: 'reports',
    producers: producer('report', { schedule, run: COUNTING }),
  });
}

function runsOf(runs: readonly RunView[], handler: string): readonly RunView[] {
  return runs.filter(({ handlerName }) => handlerName === handler);
}

async function nextRun(workflow: Workflow): Promise<number> {
  return (await workflow.view()).producers[0]?.nextRunAt ?? 0;
}

/** A host whose clock shows this moment when it starts. */
async function hostAt(w: World, moment: string): Promise<Host> {
  const host = w.unstartedHost({ movesClock: true });
  host.moveClock(Date.parse(moment) - Date.now());
  await host.start();
  return host;
}

scenario(
  'a daily report is made at once, and the next one is due in a day',
  async (w) => {
    const workflow = await reports(w, await w.host(), `{ every: '1d' }`);
    await workflow.untilCommitted(1, 'file');
    const inMs = (await nextRun(workflow)) - Date.now();
    expectThat('the next one is due in a day', inMs > 23 * HOUR && inMs <= DAY, inMs);
    expectSame('reports', (await w.outside()).count(), 1);
  },
  { quick: true },
);

for (const [missed, expected] of [
  ['latest', 2],
  ['none', 1],
  ['all', 4],
] as const) {
  scenario(`a machine that slept three days makes up for it as I chose: "${missed}"`, async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost({ movesClock: true });
    const workflow = await reports(w, host, `{ every: '1d', missed: '${missed}' }`);
    await workflow.untilCommitted(1, 'file');
    await host.stop();
    host.moveClock(3 * DAY + HOUR);
    await host.start();
    await workflow.publish('marker', 'marker');
    await workflow.untilCommitted(expected + 1, 'file');
    await workflow.untilView('no further time is due', ({ isBusy, producers }) => {
      const due = producers[0]?.nextRunAt ?? 0;
      return !isBusy && due > Date.now() + 3 * DAY + HOUR;
    });
    expectSame('reports', outside.bodies().filter((body) => body !== 'marker').length, expected);
  });
}

scenario('a clock that jumps a year ahead does not make 365 reports', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost({ movesClock: true });
  const workflow = await reports(w, host, `{ every: '1d' }`);
  await workflow.untilCommitted(1, 'file');
  await host.stop();
  host.moveClock(365 * DAY);
  await host.start();
  await workflow.untilCommitted(2, 'file');
  await workflow.publish('marker', 0);
  await workflow.untilCommitted(3, 'file');
  expectSame('what was filed', outside.count(), 3);
});

scenario(
  'a clock that is set back a day does not silence a report of every ten seconds',
  async (w) => {
    const host = await w.ownHost({ movesClock: true });
    const workflow = await reports(w, host, `{ every: '10s' }`);
    await workflow.untilCommitted(1, 'file');
    await host.stop();
    host.moveClock(-DAY);
    await host.start();
    await workflow.untilCommitted(2, 'file');
  },
  { patient: true },
);

scenario('"run now" makes one report and leaves the schedule alone', async (w) => {
  const host = await w.host();
  const workflow = await reports(w, host, `{ every: '1d' }`);
  await workflow.untilCommitted(1, 'file');
  const before = await nextRun(workflow);
  await host.says('run', workflow.name, 'report');
  await workflow.untilCommitted(2, 'file');
  expectSame('the next time', await nextRun(workflow), before);
});

scenario('"run now" of something that is not there names what is', async (w) => {
  const host = await w.host();
  const workflow = await reports(w, host, `{ every: '1d' }`);
  expectText('the message', await host.refuses('run', workflow.name, 'nothing'), 'report');
});

scenario('nine in the morning in Berlin is nine in Berlin', async (w) => {
  const workflow = await reports(
    w,
    await w.host(),
    `{ cron: '0 9 * * *', timezone: 'Europe/Berlin' }`,
  );
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
  });
  expectSame('the time there', clock.format(await nextRun(workflow)), '09:00');
});

scenario(
  'a time that the spring clock change leaves out is not made up at another hour',
  async (w) => {
    const host = await hostAt(w, '2027-03-27T12:00:00Z');
    const workflow = await reports(w, host, `{ cron: '30 2 * * *', timezone: 'Europe/Berlin' }`);
    expectSame(
      'the next time',
      new Date(await nextRun(workflow)).toISOString(),
      '2027-03-29T00:30:00.000Z',
    );
  },
);

scenario('a time that the autumn clock change brings twice comes once', async (w) => {
  const host = await hostAt(w, '2027-10-31T00:29:50Z');
  const workflow = await reports(w, host, `{ cron: '30 2 * * *', timezone: 'Europe/Berlin' }`);
  await workflow.untilCommitted(1, 'report');
  expectSame(
    'the next time',
    new Date(await nextRun(workflow)).toISOString(),
    '2027-11-01T01:30:00.000Z',
  );
});

scenario(
  'a report that takes longer than its interval skips the time it missed, if I say so',
  async (w) => {
    const outside = await w.outside();
    outside.page('/slow', '{}');
    const first = outside.hold('/slow');
    const workflow = await w.filing(await w.host(), {
      base: 'reports',
      producers: producer('slow', {
        schedule: `{ every: '10s', overlap: 'skip' }`,
        run: `await ctx.tools.http.get({ url: '${outside.url}/slow' });`,
      }),
    });
    await first.arrived;
    const from = Date.now();
    await w.until(
      'the next time has passed',
      () => Date.now() - from,
      (ms) => ms > 11_000,
    );
    first.release();
    const runs = await workflow.untilRuns('it ran again', (all) => runsOf(all, 'slow').length >= 2);
    const [second, initial] = runsOf(runs, 'slow');
    const apart = (second?.startedAt ?? 0) - (initial?.startedAt ?? 0);
    expectThat('the missed time was skipped', apart >= 18_000, `${apart} ms apart`);
  },
  { patient: true },
);

scenario(
  'a report that takes longer than its interval comes right after, by default',
  async (w) => {
    const outside = await w.outside();
    outside.page('/slow', '{}');
    const first = outside.hold('/slow');
    const workflow = await w.filing(await w.host(), {
      base: 'reports',
      producers: producer('slow', {
        schedule: `{ every: '10s' }`,
        run: `await ctx.tools.http.get({ url: '${outside.url}/slow' });`,
      }),
    });
    await first.arrived;
    const from = Date.now();
    await w.until(
      'the next time has passed',
      () => Date.now() - from,
      (ms) => ms > 11_000,
    );
    first.release();
    await workflow.untilRuns('it ran again', (all) => runsOf(all, 'slow').length >= 2);
  },
);

scenario(
  'a slow report does not keep its sibling from running',
  async (w) => {
    const outside = await w.outside();
    outside.page('/archive', '{}');
    const holds = [outside.hold('/archive'), outside.hold('/archive'), outside.hold('/archive')];
    const workflow = await w.filing(await w.host(), {
      base: 'reports',
      producers:
        producer('archive', {
          schedule: `{ every: '10s' }`,
          run: `await ctx.tools.http.get({ url: '${outside.url}/archive' });`,
        }) + producer('report', { schedule: `{ every: '10s' }`, run: COUNTING }),
    });
    // Each slow run ends only after its next time has come.
    for (const hold of holds) {
      await hold.arrived;
      const from = Date.now();
      await w.until(
        'the next time has passed',
        () => Date.now() - from,
        (ms) => ms > 10_500,
      );
      hold.release();
    }
    const runs = await workflow.untilRuns('the slow one ran three times', (all) => {
      return runsOf(all, 'archive').filter(({ phase }) => phase === 'committed').length >= 3;
    });
    const siblings = runsOf(runs, 'report');
    expectThat('its sibling ran in between', siblings.length >= 2, runs);
  },
  { patient: true },
);

scenario('a paused workflow makes no reports', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost({ movesClock: true });
  const workflow = await reports(w, host, `{ every: '1d' }`);
  await workflow.untilCommitted(1, 'file');
  await host.says('pause', workflow.id);
  await host.stop();
  host.moveClock(2 * DAY);
  await host.start();
  await host.refuses('run', workflow.id, 'report');
  expectSame('reports while paused', outside.count(), 1);
  await host.says('resume', workflow.id);
  await workflow.untilCommitted(2, 'file');
  expectSame('reports', outside.count(), 2);
});

scenario('a changed schedule counts from the change, an unchanged one goes on', async (w) => {
  const host = await w.host();
  const workflow = await reports(w, host, `{ every: '1d' }`);
  await workflow.untilCommitted(1, 'file');
  const before = await nextRun(workflow);
  const changed = await w.filingSource({
    base: 'reports',
    producers: producer('report', { schedule: `{ every: '1d' }`, run: `${COUNTING} // changed` }),
  });
  await workflow.change(changed.replace('// changed', '/* changed */'));
  expectSame('the next time after another change', await nextRun(workflow), before);
  const hourly = changed.replace('// changed', '').replace(`every: '1d'`, `every: '1h'`);
  await workflow.change(hourly);
  const inMs = (await nextRun(workflow)) - Date.now();
  expectThat('the next time is within the hour', inMs <= HOUR, inMs);
});

scenario('a report whose source is down is tried again and goes through', async (w) => {
  const outside = await w.outside();
  outside.page('/source', '{"n":1}');
  outside.script('/source', { status: 503 }, { status: 503 });
  const workflow = await w.filing(await w.host(), {
    base: 'reports',
    producers: producer('read', {
      schedule: `{ every: '1d' }`,
      run: `
        const { json } = await ctx.tools.http.get({ url: '${outside.url}/source' });
        await ctx.publish('in', { id: 'r', title: 'r', payload: json });`,
    }),
  });
  await workflow.untilCommitted(1, 'file');
  expectSame('what was filed', outside.bodies(), [{ n: 1 }]);
});

scenario('what a schedule brought in is listed as an input that succeeded', async (w) => {
  const workflow = await reports(w, await w.host(), `{ every: '1d' }`);
  await workflow.untilCommitted(1, 'file');
  const [input] = await w.until(
    'the input has ended',
    () => workflow.inputs(),
    ([first]) => first?.run.status === 'succeeded',
  );
  expectSame('its kind', input?.kind, 'schedule');
});

scenario('a schedule that nobody can read is refused with the line', async (w) => {
  const source = workflowSource({
    name: w.name('reports'),
    producers: producer('report', { schedule: `{ cron: '61 25 * * *' }`, run: COUNTING }),
  });
  const message = await (await w.host()).refuses('add', w.write(source));
  expectText('the message', message, /:\d+:\d+: .*61 25/s);
});
