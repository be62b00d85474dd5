// Data folders that are copied, old, damaged, full or in use: nothing acts twice, and it is said.
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
import type { Host } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const folders = theme('data folders');
const { scenario } = folders;

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
