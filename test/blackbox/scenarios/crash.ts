// Kills, stops, restarts and old files: no effect twice, nothing lost, and the history is true.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expectRefused, holdfast } from '#test/blackbox/harness/command.ts';
import {
  expectSame,
  expectText,
  expectThat,
  NotPossibleHere,
} from '#test/blackbox/harness/expect.ts';
import { Hook } from '#test/blackbox/harness/hook.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, workflowSource } from '#test/blackbox/harness/source.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const crash = theme('crash and restart');
const { scenario } = crash;

scenario(
  'a host killed while a payment is under way asks me afterwards and does not pay again',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const payments = await w.filing(host, { base: 'payments' });
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    await host.killAndStart();
    await payments.untilUnknown();
    expectSame('payments made', outside.count(), 1);
  },
  { quick: true },
);

scenario(
  'a host killed while a payment is under way finds it at the service afterwards',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const payments = await w.filing(host, { base: 'payments', checks: 'finds' });
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    await host.killAndStart();
    await payments.untilCommitted(1);
    expectSame('payments made', outside.count(), 1);
  },
);

scenario(
  'a host killed while it reads files the invoice after the restart, once',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    outside.page('/rates', '{}');
    const invoices = await w.filing(host, { prepare: readingRates(outside.url) });
    const reading = outside.hold('/rates');
    await invoices.publish('i-1', 1);
    await reading.arrived;
    await host.killAndStart();
    await invoices.untilDone();
    expectSame('what was filed', outside.bodies(), [1]);
  },
  { quick: true },
);

scenario('a run that was killed while it read is in the history', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  outside.page('/rates', '{}');
  const invoices = await w.filing(host, { prepare: readingRates(outside.url) });
  const reading = outside.hold('/rates');
  await invoices.publish('i-1', 1);
  await reading.arrived;
  await host.killAndStart();
  await invoices.untilDone();
  const runs = await invoices.runs();
  expectThat(
    'both tries are listed, the first as failed',
    runs.length >= 2 && runs.some(({ phase }) => phase === 'failed'),
    runs,
  );
});

scenario(
  'a host killed after the effect continues with the next step, without repeating it',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const invoices = await w.filing(host, {
      next: `let n = 0; for (let i = 0; i < 3e7; i += 1) n += i; return { n };`,
    });
    await invoices.publish('i-1', 1);
    await w.until(
      'the service acted',
      () => outside.count(),
      (count) => count === 1,
    );
    await host.killAndStart();
    await w.until(
      'the invoice is done, or I am asked',
      async () => ({ inbox: await invoices.inbox(), events: await invoices.events() }),
      ({ inbox, events }) =>
        inbox.length > 0 || events.every(({ status }) => status === 'consumed'),
    );
    expectSame('what was filed', outside.count(), 1);
  },
);

scenario('sixty invoices and five kills at any moment: each is filed exactly once', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const invoices = await w.filing(host, { checks: 'proves' });
  await host.says('pause', invoices.id);
  for (let n = 1; n <= 60; n += 1) await invoices.publish(`i-${n}`, n);
  await host.says('resume', invoices.id);
  for (let kill = 1; kill <= 5; kill += 1) {
    await w.until(
      `${kill * 10} are filed`,
      () => outside.count(),
      (count) => count >= kill * 10,
    );
    await host.killAndStart();
  }
  await invoices.untilDone();
  const filed = (outside.bodies() as number[]).toSorted((a, b) => a - b);
  expectSame(
    'what was filed',
    filed,
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
});

scenario(
  'an event whose publishing was answered survives a kill right after',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const invoices = await w.filing(host);
    await host.says('pause', invoices.id);
    await invoices.publish('i-1', 'kept');
    await host.killAndStart();
    await host.says('resume', invoices.id);
    await invoices.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), ['kept']);
  },
  { quick: true },
);

scenario('a webhook that was answered with 202 survives a kill right after', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const invoices = await w.filing(host, { checks: 'proves' });
  const hook = await Hook.create(invoices);
  const { status } = await hook.post('{"n":1}');
  await host.kill();
  expectSame('the answer', status, 202);
  await host.start();
  await invoices.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), [{ n: 1 }]);
});

scenario(
  'a host that is told to stop lets the payment under way end',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const payments = await w.filing(host, { base: 'payments' });
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    const stopped = host.stop();
    paying.release();
    expectSame('its exit code', await stopped, 0);
    await host.start();
    await payments.untilDone();
    expectSame('the inbox', await payments.inbox(), []);
    expectSame('payments made', outside.count(), 1);
  },
  { quick: true },
);

scenario('a host that was frozen during a payment goes on where it was', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const payments = await w.filing(host, { base: 'payments' });
  const paying = outside.hold('/file');
  await payments.publish('p-1', 1);
  await paying.arrived;
  host.freeze();
  paying.release();
  await untilMs(w, 2000);
  host.thaw();
  await payments.untilCommitted(1);
  expectSame('payments made', outside.count(), 1);
});

scenario('an open question survives a kill and can be answered afterwards', async (w) => {
  const host = await w.ownHost();
  const asking = await w.add(
    host,
    workflowSource({
      name: w.name('asking'),
      uses: '{ ask: {} }',
      consumers: consumer('ask', {
        mutate: `await ctx.tools.ask.question({ question: 'Ship it?' });`,
        next: `console.log(outcome.result.answer);`,
      }),
    }),
  );
  await asking.publish('q-1', 1);
  await asking.untilItem('question');
  await host.killAndStart();
  const { mutationId = '' } = await asking.untilItem('question');
  await host.says('answer', mutationId, 'tomorrow');
  await asking.untilCommitted(1);
});

scenario('a daily report that ran is not repeated because the host was killed', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const reports = await w.filing(host, {
    base: 'reports',
    producers: producer('daily', {
      schedule: `{ every: '1d' }`,
      run: `const n = (state?.n ?? 0) + 1; await ctx.publish('in', { id: 'r' + n, title: 'r', payload: n }); return { n };`,
    }),
  });
  await reports.untilCommitted(1, 'file');
  for (let kill = 0; kill < 2; kill += 1) await host.killAndStart();
  await reports.publish('marker', 'marker');
  await reports.untilCommitted(2, 'file');
  expectSame('reports', outside.bodies(), [1, 'marker']);
});

scenario('a session whose runs all ended well is not called failed after a kill', async (w) => {
  const host = await w.ownHost();
  const invoices = await w.filing(host);
  await invoices.publish('i-1', 1);
  await invoices.untilCommitted(1);
  await host.killAndStart();
  const [session] = await w.until(
    'the session has ended',
    () => invoices.sessions(),
    ([newest]) => newest !== undefined && newest.status !== 'active' && newest.status !== 'running',
  );
  expectThat('it is not called failed', session?.status !== 'failed', session);
});

scenario('a session in which a run failed is not called completed', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host, {
    prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (event) throw new Error('no form for ' + event.title);`,
  });
  await invoices.publish('i-1', 1);
  await invoices.untilItem('set_aside');
  const [session] = await w.until(
    'the session has ended',
    () => invoices.sessions(),
    ([newest]) => newest !== undefined && newest.status !== 'active' && newest.status !== 'running',
  );
  expectThat('it is not called completed', session?.status !== 'completed', session);
});

scenario('a second host on the same folder is refused and the first goes on', async (w) => {
  const host = await w.ownHost();
  const second = await holdfast(['serve', '--data', host.dataDir, '--json']);
  expectSame('its exit code', second.code, 1);
  expectText('it names the process', second.stderr, String(host.pid));
  await host.call('host.info', {});
});

scenario('a folder whose killed host left everything behind opens again', async (w) => {
  const host = await w.ownHost();
  await host.kill();
  expectThat('the database is there', existsSync(join(host.dataDir, 'holdfast.db')), null);
  await host.start();
  expectText('the doctor', await host.says('doctor'), /./);
});

scenario('an older database that is put back does not file the same invoice again', async (w) => {
  const outside = await w.outside();
  const host = w.unstartedHost();
  const file = w.write(await w.filingSource());
  await host.says('add', file);
  await host.says('publish', w.name('invoices'), 'in', '1', '--id', 'i-1');
  const saved = join(w.folder(), 'saved.db');
  copyFileSync(join(host.dataDir, 'holdfast.db'), saved);
  await host.start();
  const invoices = await w.known(host, w.name('invoices'));
  await invoices.untilCommitted(1);
  await host.stop();
  putBack(host, saved);
  await host.start();
  await w.until(
    'the waiting invoice is looked at, or I am asked',
    async () => ({
      filed: outside.count(),
      shown: (await host.cli('inbox')).text + (await host.cli('restored')).text,
    }),
    ({ filed, shown }) => filed > 1 || /older|backup|went back|restored/i.test(shown),
  );
  expectSame('what was filed', outside.count(), 1);
});

scenario('a backup that is restored files nothing until I say so', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const invoices = await w.filing(host);
  await host.says('pause', invoices.id);
  await invoices.publish('i-1', 'one');
  const { file } = await host.call<{ file: string }>('backups.make', {});
  await host.says('resume', invoices.id);
  await invoices.untilCommitted(1);
  await host.stop();
  await host.says('restore', file);
  await host.start();
  expectText('holdfast restored', await host.says('restored'), invoices.name);
  expectSame('what was filed', outside.count(), 1);
  await host.says('restored', invoices.id, '--skip');
  await invoices.publish('i-2', 'two');
  await invoices.untilDone();
  expectSame('what was filed then', outside.bodies(), ['one', 'two']);
});

scenario('a copy of the data folder does not act beside the original', async (w) => {
  const outside = await w.outside();
  const { host, copy } = await copiedHost(w);
  const [workflow] = await copy.workflows();
  const onCopy = await w.known(copy, workflow?.name ?? '');
  await onCopy.publish('i-2', 'from the copy');
  const onOriginal = await w.known(host, workflow?.name ?? '');
  await onOriginal.publish('i-3', 'from the original');
  await onOriginal.untilDone();
  expectSame('what was filed', outside.bodies(), ['from the original']);
  expectSame(
    'the event of the copy',
    (await onCopy.events()).map(({ status }) => status),
    ['pending'],
  );
});

scenario('a copied folder says in its list that it runs nothing', async (w) => {
  const { copy } = await copiedHost(w);
  const listed = await copy.says('list');
  expectThat('the workflow is not called active', !/ active\b/.test(listed), listed);
});

scenario('the doctor of a copied folder says that it is a copy', async (w) => {
  const { copy } = await copiedHost(w);
  const { text } = await copy.cli('doctor');
  expectText('the doctor', text, /cop(y|ied)|take ?over|runs nothing|another device/i);
});

scenario('a damaged database is moved aside and said so, never overwritten', async (w) => {
  const host = w.unstartedHost();
  await host.says('list');
  const database = join(host.dataDir, 'holdfast.db');
  cpSync(w.write('this is not a database\n'.repeat(500)), database);
  rmSync(`${database}-wal`, { force: true });
  rmSync(`${database}-shm`, { force: true });
  const { code, text } = await holdfast(['serve', '--data', host.dataDir, '--json']);
  expectSame('its exit code', code, 1);
  expectText('the message', text, /damaged/);
});

scenario('a full disk does not end the host, and it works again with room', async (w) => {
  const disk = smallDisk(w);
  const host = await w.ownHost({ dataDir: join(disk, 'data') });
  const invoices = await w.filing(host);
  await host.says('pause', invoices.id);
  const filler = join(disk, 'filler');
  fill(filler);
  // So often that the host's log needs more room, too.
  for (let n = 1; n <= 60; n += 1) {
    const refusal = await host.refusal('events.publish', {
      workflowId: invoices.id,
      topic: 'in',
      messageId: `i-${n}`,
      title: 'i',
      payload: 'x'.repeat(500_000),
    });
    expectSame('the answer', refusal.type, 'storage_full');
  }
  rmSync(filler);
  await host.call('workflows.resume', { workflowId: invoices.id });
  await invoices.publish('i-2', 2);
  await invoices.untilCommitted(1);
  expectThat('the host is the same process', host.isUp, host.lastLogLines());
});

scenario('a host that cannot start on a full disk says so in a sentence', async (w) => {
  const disk = smallDisk(w);
  const dataDir = join(disk, 'data');
  mkdirSync(dataDir);
  fill(join(disk, 'filler'));
  const ended = await holdfast(['serve', '--data', dataDir, '--json']);
  expectText('the message', expectRefused(['serve'], ended), /full|space|room/i);
});

/** A file system of a few megabytes that only this scenario uses. */
function smallDisk(w: World): string {
  const folder = w.folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    throw new NotPossibleHere('only root may mount a small disk');
  }
  w.onEnd(() => execFileSync('umount', ['-l', folder], { stdio: 'ignore' }));
  return folder;
}

/** Leaves no byte. */
function fill(file: string): void {
  const handle = openSync(file, 'w');
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    while (hasRoomFor(handle, size)) continue;
  }
  closeSync(handle);
}

function hasRoomFor(handle: number, bytes: number): boolean {
  try {
    return writeSync(handle, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

function readingRates(url: string): string {
  return `
    const [event] = await ctx.peek('in', { limit: 1 });
    if (!event) return;
    await ctx.tools.http.get({ url: '${url}/rates' });
    return { reservations: [event], data: event.payload };`;
}

function untilMs(w: World, ms: number): Promise<number> {
  const from = Date.now();
  return w.until(
    `${ms} ms have passed`,
    () => Date.now() - from,
    (passed) => passed >= ms,
  );
}

function putBack(host: Host, saved: string): void {
  for (const end of ['-wal', '-shm']) {
    rmSync(join(host.dataDir, `holdfast.db${end}`), { force: true });
  }
  copyFileSync(saved, join(host.dataDir, 'holdfast.db'));
}

/** A host with one workflow, and a host on a copy of its folder. Both run. */
async function copiedHost(w: World): Promise<{ readonly host: Host; readonly copy: Host }> {
  const host = await w.ownHost();
  await w.filing(host);
  await host.stop();
  const dataDir = join(w.folder(), 'second');
  cpSync(host.dataDir, dataDir, { recursive: true });
  await host.start();
  return { host, copy: await w.ownHost({ dataDir }) };
}
