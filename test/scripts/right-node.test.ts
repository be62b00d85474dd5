import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { findProgram } from '#scripts/lib/processes.mjs';
import { isWindows, notRunIf, onWindows } from '#test/support/not-run.ts';

const rightNode = pathToFileURL(path.resolve('scripts/lib/right-node.mjs')).href;
const systemNode = findOlderNode();

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'holdfast-right-node-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A script that reports Node 20 at its first start. */
function writeScript(name: string, body: string, nodePath: string | null = process.execPath) {
  const file = path.join(folder, name);
  writeFileSync(
    file,
    `import { useRightNode } from ${JSON.stringify(rightNode)};
     const running = process.env.HOLDFAST_NODE_RERUN ? process.versions.node : '20.11.0';
     await useRightNode(import.meta.url, { running, nodePath: ${JSON.stringify(nodePath)} });
     ${body}`,
  );
  return file;
}

/** The first Node on the PATH that is too old for Holdfast. */
function findOlderNode(): string | null {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  for (const candidate of folders.map((place) => findProgram(path.join(place, 'node')))) {
    if (candidate === null) continue;
    const { stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
    if (Number.parseInt(stdout.slice(1), 10) < 24) return candidate;
  }
  return null;
}

test('[SU-5] a script started on an older Node re-runs on the right one with its arguments', () => {
  const script = writeScript(
    'again.mjs',
    `console.log(JSON.stringify([process.argv.slice(2), process.env.HOLDFAST_NODE_RERUN ?? null]));
     process.exit(3);`,
  );
  const result = spawnSync(process.execPath, [script, '--json', 'two words'], { encoding: 'utf8' });
  expect(result.stderr).toBe('');
  // Child processes must not inherit the mark of the re-run.
  expect(JSON.parse(result.stdout)).toEqual([['--json', 'two words'], null]);
  expect(result.status).toBe(3);
});

test('[SU-5] without a suitable Node, the script prints the version found, the one needed and how to get it', () => {
  const script = writeScript('none.mjs', `console.log('went on');`, null);
  const result = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(result.status).toBe(1);
  expect(result.stdout).toBe('');
  expect(result.stderr).toContain('this is Node 20.11.0, and Holdfast needs Node 24');
  expect(result.stderr).toContain('npm install');
});

test.skipIf(isWindows)(
  `[SU-5] a signal to the script reaches the re-run, whose exit code the script returns${onWindows}`,
  async () => {
    const script = writeScript(
      'signal.mjs',
      `process.on('SIGTERM', () => process.exit(5));
       setInterval(() => {}, 1000);
       console.log('ready');`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await exited).toBe(5);
  },
);

test.skipIf(isWindows)(
  `[SU-5] the re-run gets SIGTERM when the script is killed${onWindows}`,
  async () => {
    const script = writeScript(
      'orphan.mjs',
      `process.on('SIGTERM', () => { console.log('terminated'); process.exit(); });
       setInterval(() => {}, 1000);
       console.log('ready');`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    child.kill('SIGKILL');
    expect((await lines.next()).value).toBe('terminated');
    // The pipe closes when the last process that holds it has exited.
    expect((await lines.next()).done).toBe(true);
  },
);

test.skipIf(isWindows)(
  `[SU-5] a process that must not outlive its parent ends when the parent is killed${onWindows}`,
  async () => {
    const processes = pathToFileURL(path.resolve('scripts/lib/processes.mjs')).href;
    const child = path.join(folder, 'child.mjs');
    writeFileSync(
      child,
      `import { endWithParent } from ${JSON.stringify(processes)};
       endWithParent();
       setInterval(() => {}, 1000);
       console.log('ready', process.env.HOLDFAST_PARENT_PID ?? 'unset');`,
    );
    const parent = path.join(folder, 'parent.mjs');
    writeFileSync(
      parent,
      `import { spawn } from 'node:child_process';
       import { envOfDependentChild, superviseChild } from ${JSON.stringify(processes)};
       const env = envOfDependentChild();
       await superviseChild(spawn(process.execPath, [${JSON.stringify(child)}], { env, stdio: 'inherit' }));`,
    );
    const started = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready unset');
    started.kill('SIGKILL');
    expect((await lines.next()).done).toBe(true);
  },
);

test.skipIf(systemNode === null)(
  `[SU-5] a script started on the older Node of this system runs on Node 24 or newer${notRunIf(systemNode === null, 'no other Node')}`,
  () => {
    const script = path.join(folder, 'really.mjs');
    writeFileSync(
      script,
      `import { useRightNode } from ${JSON.stringify(rightNode)};
       await useRightNode(import.meta.url);
       console.log(process.versions.node);`,
    );
    const result = spawnSync(systemNode ?? '', [script], { encoding: 'utf8' });
    expect(result.stderr).toBe('');
    expect(Number.parseInt(result.stdout, 10)).toBeGreaterThanOrEqual(24);
  },
);
