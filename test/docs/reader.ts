// Follows a page block by block in its own home folder: saves files and runs commands. Commands that
// keep running are stopped at the end of the page.
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import { PRACTICE_PORT } from '#main/practice/practice-port.ts';
import type { Block } from '#test/docs/blocks.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 200;

/** Commands that reach outside the home of the reader are never run, marked or not. */
const BEYOND =
  /\b(sudo|systemctl|podman|docker|apt-get|npm (ci|install))\b|(^|[\s"'=])\/(bin|boot|etc|home|media|opt|root|usr|var)\//m;

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly all: string;
}

export class Reader {
  readonly #work: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: number;

  private constructor(work: string, env: NodeJS.ProcessEnv, port: number) {
    this.#work = work;
    this.#env = env;
    this.#port = port;
  }

  static async settle(): Promise<Reader> {
    const home = tempFolder();
    const work = join(home, 'work');
    const bin = join(home, 'bin');
    mkdirSync(join(work, 'node_modules'), { recursive: true });
    mkdirSync(bin);
    // As "npm install path/to/holdfast" leaves it.
    symlinkSync(packageRoot(), join(work, 'node_modules', 'holdfast'));
    symlinkSync(join(packageRoot(), 'examples'), join(work, 'examples'));
    const command = `exec "${process.execPath}" "${join(packageRoot(), 'bin/holdfast.mjs')}"`;
    program(join(bin, 'holdfast'), `${command} "$@"`);
    program(join(bin, 'npx'), `shift\n${command} "$@"`);
    const { XDG_DATA_HOME: _, HOLDFAST_DATA: __, NODE_OPTIONS: ___, ...rest } = process.env;
    const env = {
      ...rest,
      HOME: home,
      PATH: `${bin}:${join(process.execPath, '..')}:${rest['PATH'] ?? ''}`,
      HOLDFAST_LINK_HOST: '127.0.0.1',
      HOLDFAST_LINK_PORT: '0',
    };
    return new Reader(work, env, await freePort());
  }

  save(name: string, text: string): void {
    writeFileSync(join(this.#work, name), this.#here(text));
  }

  async follow(block: Block): Promise<void> {
    if (BEYOND.test(block.text)) {
      throw new Error(`line ${block.line} would change this machine. Mark it: <!-- not run: … -->`);
    }
    const ready = block.notes['keeps running'];
    if (ready !== undefined) return this.#leaveRunning(block, ready);
    const text = await this.#withId(this.#here(block.text));
    const shows = block.notes['shows'];
    const wanted = Number(block.notes['exits'] ?? 0);
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const said = await this.#run(text);
      const isShown = shows === undefined || said.stdout.includes(shows);
      if (said.code === wanted && isShown) return;
      if (said.code === wanted && Date.now() < deadline) await pause(LOOK_EVERY_MS);
      else throw new Error(`line ${block.line}: ended with ${said.code}\n${text}\n${said.all}`);
    }
  }

  /** True if this Holdfast has the command. */
  async knows(command: string): Promise<boolean> {
    const { stdout } = await this.#run('holdfast --help');
    return new RegExp(`^ {2}${command}\\b`, 'm').test(stdout);
  }

  /** Gives each reader of a page its own port. */
  #here(text: string): string {
    return text
      .replaceAll(`127.0.0.1:${PRACTICE_PORT}`, `127.0.0.1:${this.#port}`)
      .replaceAll(/holdfast practice$/gm, `holdfast practice --port ${this.#port}`);
  }

  /** Replaces ID with the id of the first item of "holdfast inbox". */
  async #withId(text: string): Promise<string> {
    if (!/\bID\b/.test(text)) return text;
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const { items } = JSON.parse((await this.#run('holdfast inbox --json')).stdout) as {
        items: { mutation?: { id: string }; mutationId?: string; eventId?: string }[];
      };
      const [item] = items;
      const id = item?.mutation?.id ?? item?.mutationId ?? item?.eventId;
      if (id !== undefined) return text.replaceAll(/\bID\b/g, id);
      await pause(LOOK_EVERY_MS);
    }
    throw new Error(`The inbox is still empty, and this block needs an ID:\n${text}`);
  }

  async #leaveRunning(block: Block, ready: string): Promise<void> {
    const child = this.#start(this.#here(block.text));
    onTestFinished(async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      if (child.exitCode !== null || child.signalCode !== null) return;
      endGroup(child);
      await ended;
    });
    let all = '';
    await new Promise<void>((resolve, reject) => {
      const look = (chunk: Buffer): void => {
        all += chunk.toString();
        if (all.includes(ready)) resolve();
      };
      child.stdout?.on('data', look);
      child.stderr?.on('data', look);
      child.once('close', () => reject(new Error(`line ${block.line}: it ended\n${all}`)));
      const tooLong = setTimeout(
        () => reject(new Error(`line ${block.line}: it never said "${ready}"\n${all}`)),
        2 * PATIENCE_MS,
      );
      tooLong.unref();
    });
  }

  async #run(text: string): Promise<Said> {
    const child = this.#start(text);
    const tooLong = setTimeout(() => endGroup(child), 2 * PATIENCE_MS);
    let stdout = '';
    let all = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      all += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => (all += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(tooLong);
    return { code, stdout, all };
  }

  /** In a group of its own, so that nothing of it is left. */
  #start(text: string): ChildProcess {
    return spawn('sh', ['-eu', '-c', text], {
      cwd: this.#work,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGTERM');
}

function program(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
