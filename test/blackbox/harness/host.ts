// A host as a process of its own, reached only by the command line and by HTTP.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  environmentOf,
  expectDone,
  expectRefused,
  holdfast,
  HOLDFAST,
  type Ended,
  type Environment,
} from '#test/blackbox/harness/command.ts';
import { Mismatch } from '#test/blackbox/harness/expect.ts';
import type { WorkflowView } from '#test/blackbox/harness/views.ts';

export interface HostOptions {
  readonly dataDir: string;
  readonly env?: Environment;
  readonly args?: readonly string[];
  /** Lets the scenario move the host's clock. */
  readonly movesClock?: boolean;
}

export type Answer<Output = unknown> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly error: Refusal };

export interface Refusal {
  readonly type: string;
  readonly message: string;
  readonly reason?: string;
  readonly problems?: readonly string[];
}

interface WorkflowPage {
  readonly workflows: readonly WorkflowView[];
  readonly next: string | null;
}

const START_DEADLINE_MS = 90_000;
const LOG_LINES = 12;

export class Host {
  readonly dataDir: string;
  readonly #options: HostOptions;
  #child: ChildProcess | null = null;
  #ended: Promise<unknown> = Promise.resolve();
  #stderr = '';
  url = '';
  token = '';

  constructor(options: HostOptions) {
    this.dataDir = options.dataDir;
    this.#options = options;
    if (options.movesClock) this.moveClock(0);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  /** `env` is added to what the host was made with, for this start only. */
  async start(env: Environment = {}): Promise<void> {
    const args = ['serve', '--data', this.dataDir, '--json', ...(this.#options.args ?? [])];
    const child = spawn(process.execPath, [HOLDFAST, ...args], {
      env: environmentOf({ ...this.#clockEnv(), ...this.#options.env, ...env, ...END_WITH_US }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#stderr = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      this.#stderr = (this.#stderr + part).slice(-4000);
    });
    this.#child = child;
    this.#ended = once(child, 'close').then(() => {
      if (this.#child === child) this.#child = null;
    });
    const hello = await Promise.race([
      firstLine(child),
      this.#ended.then(() => null),
      passing(START_DEADLINE_MS),
    ]);
    if (hello === null || hello === undefined) {
      child.kill('SIGKILL');
      throw new Mismatch('the host starts', 'a first line with its address', this.#stderr);
    }
    ({ url: this.url, token: this.token } = JSON.parse(hello) as { url: string; token: string });
  }

  /** SIGKILL, as a power cut for the process. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** SIGTERM; the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    // A frozen process gets the signal only when it continues.
    child.kill('SIGTERM');
    child.kill('SIGCONT');
    await this.#ended;
    return child.exitCode;
  }

  async restart(env: Environment = {}): Promise<void> {
    await this.stop();
    await this.start(env);
  }

  async killAndStart(env: Environment = {}): Promise<void> {
    await this.kill();
    await this.start(env);
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Resolves when the process is gone. */
  async untilGone(): Promise<void> {
    await this.#ended;
  }

  /** From now on the host's clock is off by this much. */
  moveClock(byMs: number): void {
    writeFileSync(this.#clockFile, String(Math.round(byMs)));
  }

  /** The host's clock stops until it is moved. */
  stopClock(atMs = Date.now()): void {
    writeFileSync(this.#clockFile, `=${atMs}`);
  }

  /** The command line on this host's folder. */
  cli(...args: readonly string[]): Promise<Ended> {
    return holdfast([...args, '--data', this.dataDir]);
  }

  async says(...args: readonly string[]): Promise<string> {
    return expectDone(args, await this.cli(...args));
  }

  async refuses(...args: readonly string[]): Promise<string> {
    return expectRefused(args, await this.cli(...args));
  }

  async ask<Output>(name: string, input: unknown): Promise<Answer<Output>> {
    const response = await this.send(`/api/call/${name}`, JSON.stringify(input));
    return (await response.json()) as Answer<Output>;
  }

  async call<Output>(name: string, input: unknown): Promise<Output> {
    const answer = await this.ask<Output>(name, input);
    if (answer.ok) return answer.output;
    throw new Mismatch(`the call ${name}`, 'an answer', answer.error);
  }

  async refusal(name: string, input: unknown): Promise<Refusal> {
    const answer = await this.ask(name, input);
    if (!answer.ok) return answer.error;
    throw new Mismatch(`the call ${name}`, 'a refusal', answer.output);
  }

  async workflows(): Promise<readonly WorkflowView[]> {
    const all: WorkflowView[] = [];
    let after: string | null = null;
    do {
      const input = { limit: 200, ...(after === null ? {} : { after }) };
      const page: WorkflowPage = this.isUp
        ? await this.call('workflows.list', input)
        : { ...(JSON.parse(await this.says('list', '--json')) as WorkflowPage), next: null };
      all.push(...page.workflows);
      after = page.next;
    } while (after !== null);
    return all;
  }

  /** A POST with these exact bytes. */
  send(path: string, body: string, headers: { [name: string]: string } = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      body,
    });
  }

  /** For the report of a failure. */
  lastLogLines(): readonly string[] {
    const file = join(this.dataDir, 'logs', 'host.log');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    const errors = this.#stderr === '' ? [] : this.#stderr.trimEnd().split('\n');
    return [...lines.map(shortened), ...errors].slice(-LOG_LINES);
  }

  get #clockFile(): string {
    return `${this.dataDir}.clock`;
  }

  #clockEnv(): Environment {
    if (!this.#options.movesClock) return {};
    const preload = new URL('clock.mjs', import.meta.url).href;
    return { NODE_OPTIONS: `--import=${preload}`, BLACKBOX_CLOCK: this.#clockFile };
  }
}

/** A log line without the ids that say nothing to a reader of a failed scenario. */
function shortened(line: string): string {
  try {
    const entries = Object.entries(JSON.parse(line) as { [name: string]: unknown });
    const shown = entries.filter(([name]) => !/^(level|time|pid|space)$|_id$/.test(name));
    return JSON.stringify(Object.fromEntries(shown)).slice(0, 300);
  } catch {
    return line.slice(0, 300);
  }
}

/** A host must not outlive the suite, even if the suite is killed. */
const END_WITH_US = { HOLDFAST_PARENT_PID: String(process.pid) };

async function firstLine(child: ChildProcess): Promise<string | null> {
  if (!child.stdout) return null;
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  child.stdout.resume();
  return line ?? null;
}

function passing(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
