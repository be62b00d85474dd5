// `npm start` in real processes: npm, its shell, our script and the host.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { isLinux, onlyOnLinux } from '#test/support/not-run.ts';

const START_MS = 60_000;

/** Ids of running processes, with their parents. */
function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') found.set(Number(id), Number(parent));
    } catch {
      // It ended while we were looking.
    }
  }
  return found;
}

function stillRunning(...ids: number[]): number[] {
  const running = parents();
  return ids.filter((id) => running.has(id));
}

function descendantsOf(root: number): number[] {
  const running = parents();
  const isDescendant = (id: number): boolean => {
    const parent = running.get(id);
    return parent !== undefined && (parent === root || isDescendant(parent));
  };
  return [...running.keys()].filter(isDescendant);
}

test.runIf(isLinux).each(['SIGTERM', 'SIGKILL'] as const)(
  `[SU-7] npm start leaves no process behind when npm gets %s${onlyOnLinux}`,
  async (signal) => {
    const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
    const place = ['--data', tempFolder(), '--link-host', '127.0.0.1', '--link-port', '0'];
    const npm = spawn('npm', ['start', '--silent', '--', '--json', ...place], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const started = new Set<number>();
    onTestFinished(() => {
      for (const id of stillRunning(npm.pid ?? 0, ...started)) process.kill(id, 'SIGKILL');
    });
    const lines = createInterface({ input: npm.stdout })[Symbol.asyncIterator]();
    const hello = JSON.parse(String((await lines.next()).value)) as { pid: number };
    for (const id of descendantsOf(npm.pid ?? 0)) started.add(id);
    expect(started).toContain(hello.pid);
    expect(started.size).toBeGreaterThanOrEqual(2);

    npm.kill(signal);
    await eventually(() => {
      expect(stillRunning(...started)).toEqual([]);
    });
    // The pipe closes when the last process that holds it has ended.
    expect((await lines.next()).done).toBe(true);
  },
  START_MS,
);
