// Runs one claimed job: starts its process, copies its output, ends it when it must, and says what
// came of it once nothing of it is left.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { assembleCommand, type Command } from '#main/runner/build-command.ts';
import { endTree, type TreeEnd } from '#main/runner/kill-tree.ts';
import { environmentFor } from '#main/runner/environment.ts';
import { LogFile } from '#main/runner/log-file.ts';
import type { ProcessTree } from '#main/runner/process-tree.ts';
import { isRefusal } from '#main/runner/refusal.ts';
import type { RegistryFile } from '#main/runner/registry-file.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { RunnerJobEnd, RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import type { Clock } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import type { RunnerJobTransition } from '#shared/machines/runner-job.ts';

/** How long the output of a job that has ended may still come: its pipes are empty by then. */
const DRAIN_MS = 2000;

const END_ATTEMPTS = 20;
const END_RETRY_MS = 1000;

export interface ExecutorContext {
  readonly jobs: RunnerJobStore;
  readonly registry: RegistryFile;
  readonly tree: ProcessTree;
  readonly logDir: string;
  readonly masker: Masker;
  readonly secret: (name: string) => Promise<string>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logGrew: (jobId: string) => void;
}

export type EndReason = 'cancel' | 'time_out' | 'stop';

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const SENTENCES: { readonly [reason in EndReason]: string } = {
  cancel: 'Canceled: the script is asked to end.',
  time_out: 'Its time is over: the script is asked to end.',
  stop: 'Holdfast stops: the script is asked to end.',
};

export class Execution {
  readonly job: RunnerJob;
  /** Settles when the job has ended and nothing of it is left. */
  readonly done: Promise<void>;
  readonly #context: ExecutorContext;
  readonly #version: number;
  #ending: EndReason | null = null;
  #onEnding: (reason: EndReason) => void = () => undefined;

  constructor(context: ExecutorContext, job: RunnerJob, version: number) {
    this.#context = context;
    this.job = job;
    this.#version = version;
    this.done = this.#run().catch((error: unknown) => this.#broke(error));
  }

  /** The first reason counts. */
  end(reason: EndReason): void {
    if (this.#ending !== null) return;
    this.#ending = reason;
    this.#onEnding(reason);
  }

  async #run(): Promise<void> {
    const command = await this.#assemble();
    if (command === null) return;
    const env = await this.#environment(command);
    if (env === null) return;
    if (this.#ending !== null) return this.#neverStarted();
    const log = await this.#openLog(command);
    if (log === null) return;
    const child = await this.#spawn(command, env);
    if (child === null) {
      await log.close();
      return;
    }
    const ended = await this.#accompany(child, command, log);
    const { bytes, dropped } = await log.close();
    await this.#finish(ended, { logBytes: bytes, logDroppedBytes: dropped });
  }

  async #assemble(): Promise<Command | null> {
    const { registry } = this.#context;
    const known = registry.require();
    const command = isRefusal(known) ? known : assembleCommand(known, this.job);
    if (!isRefusal(command)) return command;
    await this.#fail('not_allowed', { message: command.message });
    return null;
  }

  async #environment(command: Command): Promise<NodeJS.ProcessEnv | null> {
    const { secret, masker } = this.#context;
    try {
      return await environmentFor(this.job.id, command.script, secret, masker);
    } catch (error) {
      await this.#fail('could_not_start', { message: messageOf(error) });
      return null;
    }
  }

  async #openLog(command: Command): Promise<LogFile | null> {
    const { logDir, masker, logGrew } = this.#context;
    try {
      return new LogFile({
        folder: logDir,
        jobId: this.job.id,
        maxBytes: command.script.maxLogBytes,
        masker,
        onGrow: () => logGrew(this.job.id),
      });
    } catch (error) {
      await this.#fail('could_not_start', {
        message: `Its log cannot be written: ${messageOf(error)}`,
      });
      return null;
    }
  }

  /** Null: it could not be started, and that is recorded. */
  async #spawn(command: Command, env: NodeJS.ProcessEnv): Promise<Spawned | null> {
    const { jobs, tree } = this.#context;
    if (!jobs.spawnAsked(this.job.id, this.#version)) return null;
    let child: ChildProcess;
    try {
      child = tree.around(this.job.id, () => start(command, env));
    } catch (error) {
      await this.#fail('could_not_start', { message: messageOf(error) });
      return null;
    }
    if (child.pid === undefined) {
      const [error] = (await once(child, 'error')) as [Error];
      tree.forget(this.job.id);
      await this.#fail('could_not_start', { message: error.message });
      return null;
    }
    tree.follow(this.job.id, child.pid);
    jobs.spawned(this.job.id, this.#version, child.pid, tree.startOf(child.pid));
    return child as Spawned;
  }

  async #accompany(child: Spawned, command: Command, log: LogFile): Promise<Ended> {
    const { clock, tree } = this.#context;
    const graceMs = command.script.graceSeconds * 1000;
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const copied = Promise.all([copy(log, '1', child.stdout), copy(log, '2', child.stderr)]);
    const asked = new Promise<TreeEnd>((resolve) => {
      this.#onEnding = (reason) => {
        void log.note(SENTENCES[reason]);
        void endTree(tree, this.job.id, graceMs, clock).then(resolve);
      };
      if (this.#ending !== null) this.#onEnding(this.#ending);
    });
    const callOff = clock.wakeAt(clock.now() + this.job.timeoutMs, () => this.end('time_out'));
    // One that cannot be ended never exits.
    const stuck = asked.then(({ left }) => (left.length > 0 ? null : exited));
    const exit = await Promise.race([exited, stuck]);
    callOff();
    // Who asks from here on comes too late; what it left behind is ended all the same.
    this.#onEnding = () => undefined;
    const endedBy = this.#ending;
    const tail = endedBy === null ? await this.#endLeftovers(log, graceMs) : await asked;
    await within(copied, clock, DRAIN_MS);
    child.stdout.destroy();
    child.stderr.destroy();
    await copied;
    if (tail.killed && endedBy !== null) await log.note('It did not end, and was killed.');
    if (tail.left.length > 0) await log.note(`Could not be ended: ${pidsOf(tail)}.`);
    tree.forget(this.job.id);
    return { exit, tail, endedBy };
  }

  async #endLeftovers(log: LogFile, graceMs: number): Promise<TreeEnd> {
    const { tree, clock, jobs } = this.#context;
    const end = await endTree(tree, this.job.id, graceMs, clock);
    if (end.found > 0) {
      jobs.recordEvent(this.job.id, 'leftovers_ended', { found: end.found, killed: end.killed });
      await log.note(`The script left ${end.found} of its processes behind. They were ended.`);
    }
    return end;
  }

  #finish({ exit, tail, endedBy }: Ended, log: RunnerJobEnd): Promise<void> {
    const { clock } = this.#context;
    const at = clock.now();
    if (tail.left.length > 0 || exit === null) {
      return this.#end(
        { type: 'fail', reason: 'processes_left', at },
        { ...log, exitSignal: exit?.signal ?? null },
        { pids: tail.left.map(({ pid }) => pid) },
      );
    }
    return this.#end(transitionOf(exit, endedBy, at), { ...log, exitSignal: exit.signal });
  }

  #neverStarted(): Promise<void> {
    const at = this.#context.clock.now();
    if (this.#ending === 'cancel') return this.#end({ type: 'exit', exitCode: 143, at });
    return this.#end({ type: 'fail', reason: 'host_stopped', at });
  }

  #fail(reason: string, detail: { readonly [key: string]: Json }): Promise<void> {
    return this.#end({ type: 'fail', reason, at: this.#context.clock.now() }, {}, detail);
  }

  /** A full or busy disk is tried again for a while; after that the next launcher ends the job. */
  async #end(
    event: RunnerJobTransition,
    end: RunnerJobEnd = {},
    detail: { readonly [key: string]: Json } = {},
  ): Promise<void> {
    const { jobs, log, clock } = this.#context;
    for (let attempt = 1; attempt <= END_ATTEMPTS; attempt += 1) {
      try {
        const moved = jobs.end(this.job.id, this.#version, event, end, detail);
        if (moved.type !== 'moved') log.warn({ job: this.job.id, moved }, 'a job was not ended');
        return;
      } catch (error) {
        log.error({ err: error, job: this.job.id, attempt }, 'the end of a job was not written');
        await clock.sleep(END_RETRY_MS);
      }
    }
  }

  async #broke(error: unknown): Promise<void> {
    this.#context.log.error({ err: error, job: this.job.id }, 'a job broke off');
    await this.#fail('internal', { message: messageOf(error) });
  }
}

function start(command: Command, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(command.executable, command.argv, {
    cwd: command.cwd,
    env,
    shell: false,
    // A session, and so a group, of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

type Spawned = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

interface Ended {
  /** Null: it could not be ended. */
  readonly exit: Exit | null;
  readonly tail: TreeEnd;
  readonly endedBy: EndReason | null;
}

function transitionOf(exit: Exit, endedBy: EndReason | null, at: number): RunnerJobTransition {
  if (endedBy === 'time_out') return { type: 'time_out', at };
  if (endedBy === 'stop') return { type: 'fail', reason: 'host_stopped', at };
  return { type: 'exit', exitCode: exitCodeOf(exit), at };
}

async function copy(log: LogFile, mark: '1' | '2', stream: Readable): Promise<void> {
  try {
    await log.copy(mark, stream as AsyncIterable<Buffer>);
  } catch {
    // Cut off: whoever held its other end would not let go.
  }
}

/** As shells tell it: an end by a signal is 128 and its number. */
function exitCodeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

async function within(work: Promise<unknown>, clock: Clock, ms: number): Promise<void> {
  let callOff = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    callOff = clock.wakeAt(clock.now() + ms, resolve);
  });
  await Promise.race([work, late]);
  callOff();
}

function pidsOf({ left }: TreeEnd): string {
  return left.map(({ pid }) => pid).join(', ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
