// Runs one claimed job: starts its process, copies its output to the log, terminates it on cancel,
// timeout or stop, and records the result once all its processes are gone.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { buildCommand, type Command } from '#main/runner/build-command.ts';
import { killTree, type KillResult } from '#main/runner/kill-tree.ts';
import { environmentFor } from '#main/runner/environment.ts';
import { notEnforceable, type NetworkIsolation } from '#main/runner/network-isolation.ts';
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
import { messageOf } from '#shared/message-of.ts';

/** How long to wait for the rest of the output after the process has exited. */
const DRAIN_MS = 2000;

const END_ATTEMPTS = 20;
const END_RETRY_MS = 1000;

export interface ExecutorContext {
  readonly jobs: RunnerJobStore;
  readonly registry: RegistryFile;
  readonly tree: ProcessTree;
  readonly logDir: string;
  readonly isolation: NetworkIsolation;
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
  cancel: 'Canceled. The script is asked to stop.',
  time_out: 'Timed out. The script is asked to stop.',
  stop: 'Holdfast is shutting down. The script is asked to stop.',
};

export class Execution {
  readonly job: RunnerJob;
  /** Resolves when the result is recorded and no process is left. */
  readonly done: Promise<void>;
  readonly #context: ExecutorContext;
  readonly #version: number;
  #ending: EndReason | null = null;
  #onEnding: (reason: EndReason) => void = () => undefined;

  constructor(context: ExecutorContext, job: RunnerJob, version: number) {
    this.#context = context;
    this.job = job;
    this.#version = version;
    this.done = this.#run().catch((error: unknown) => this.#crashed(error));
  }

  /** Later reasons are ignored. */
  end(reason: EndReason): void {
    if (this.#ending !== null) return;
    this.#ending = reason;
    this.#onEnding(reason);
  }

  async #run(): Promise<void> {
    const command = await this.#buildCommand();
    if (command === null) return;
    const env = await this.#environment(command);
    if (env === null) return;
    if (!(await this.#canIsolate(command))) return;
    if (this.#ending !== null) return this.#endUnstarted();
    const log = await this.#openLog(command);
    if (log === null) return;
    const child = await this.#spawn(command, env);
    if (child === null) {
      await log.close();
      return;
    }
    const ended = await this.#supervise(child, command, log);
    const { bytes, dropped } = await log.close();
    await this.#finish(ended, { logBytes: bytes, logDroppedBytes: dropped });
  }

  async #buildCommand(): Promise<Command | null> {
    const { registry } = this.#context;
    const known = registry.require();
    const command = isRefusal(known) ? known : buildCommand(known, this.job);
    if (!isRefusal(command)) return command;
    await this.#fail('not_allowed', { message: command.message });
    return null;
  }

  async #environment(command: Command): Promise<NodeJS.ProcessEnv | null> {
    try {
      return await environmentFor(this.job.id, command.script, this.#context.secret);
    } catch (error) {
      await this.#fail('could_not_start', { message: messageOf(error) });
      return null;
    }
  }

  /** Checked for each job: a script that must not reach the network is not started with one. */
  async #canIsolate({ script }: Command): Promise<boolean> {
    const why = script.network === 'none' ? await this.#context.isolation.check() : null;
    if (why === null) return true;
    await this.#fail('not_allowed', { message: notEnforceable(script.title, why) });
    return false;
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
        message: `Could not create the log: ${messageOf(error)}`,
      });
      return null;
    }
  }

  /** Null when it could not be started; the failure is recorded. */
  async #spawn(command: Command, env: NodeJS.ProcessEnv): Promise<Spawned | null> {
    const { jobs, tree, isolation } = this.#context;
    if (!jobs.spawnAsked(this.job.id, this.#version)) return null;
    let child: ChildProcess;
    try {
      const program =
        command.script.network === 'none'
          ? isolation.wrap(command.executable, command.argv)
          : command;
      child = tree.spawnInside(this.job.id, () => start({ ...command, ...program }, env));
    } catch (error) {
      await this.#fail('could_not_start', { message: messageOf(error) });
      return null;
    }
    if (child.pid === undefined) {
      const [error] = (await once(child, 'error')) as [Error];
      tree.untrack(this.job.id);
      await this.#fail('could_not_start', { message: error.message });
      return null;
    }
    tree.track(this.job.id, child.pid);
    jobs.spawned(this.job.id, this.#version, child.pid, tree.startOf(child.pid));
    return child as Spawned;
  }

  async #supervise(child: Spawned, command: Command, log: LogFile): Promise<Ended> {
    const { clock, tree } = this.#context;
    const graceMs = command.script.graceSeconds * 1000;
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const copied = Promise.all([copy(log, '1', child.stdout), copy(log, '2', child.stderr)]);
    const asked = new Promise<KillResult>((resolve) => {
      this.#onEnding = (reason) => {
        void log.writeLine(SENTENCES[reason]);
        void killTree(tree, this.job.id, graceMs, clock).then(resolve);
      };
      if (this.#ending !== null) this.#onEnding(this.#ending);
    });
    const cancelTimeout = clock.wakeAt(clock.now() + this.job.timeoutMs, () =>
      this.end('time_out'),
    );
    // A process that survives SIGKILL never exits.
    const stuck = asked.then(({ left }) => (left.length > 0 ? null : exited));
    const exit = await Promise.race([exited, stuck]);
    cancelTimeout();
    // Too late to cancel from here on; leftover processes are killed anyway.
    this.#onEnding = () => undefined;
    const endedBy = this.#ending;
    const tail = endedBy === null ? await this.#endLeftovers(log, graceMs) : await asked;
    await within(copied, clock, DRAIN_MS);
    child.stdout.destroy();
    child.stderr.destroy();
    await copied;
    if (tail.killed && endedBy !== null)
      await log.writeLine('The script did not stop and was killed.');
    if (tail.left.length > 0) await log.writeLine(`Could not kill the processes ${pidsOf(tail)}.`);
    tree.untrack(this.job.id);
    return { exit, tail, endedBy };
  }

  async #endLeftovers(log: LogFile, graceMs: number): Promise<KillResult> {
    const { tree, clock, jobs } = this.#context;
    const end = await killTree(tree, this.job.id, graceMs, clock);
    if (end.found > 0) {
      jobs.recordEvent(this.job.id, 'leftovers_ended', { found: end.found, killed: end.killed });
      await log.writeLine(
        `The script left ${end.found} of its processes running. They were stopped.`,
      );
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

  #endUnstarted(): Promise<void> {
    const at = this.#context.clock.now();
    if (this.#ending === 'cancel') return this.#end({ type: 'exit', exitCode: 143, at });
    return this.#end({ type: 'fail', reason: 'host_stopped', at });
  }

  #fail(reason: string, detail: { readonly [key: string]: Json }): Promise<void> {
    return this.#end({ type: 'fail', reason, at: this.#context.clock.now() }, {}, detail);
  }

  /** Retries for a while when the disk is full or busy. After that the next launcher ends the job. */
  async #end(
    event: RunnerJobTransition,
    end: RunnerJobEnd = {},
    detail: { readonly [key: string]: Json } = {},
  ): Promise<void> {
    const { jobs, log, clock } = this.#context;
    for (let attempt = 1; attempt <= END_ATTEMPTS; attempt += 1) {
      try {
        const moved = jobs.end(this.job.id, this.#version, event, end, detail);
        if (moved.type !== 'moved') log.warn({ job: this.job.id, moved }, 'job could not be ended');
        return;
      } catch (error) {
        log.error({ err: error, job: this.job.id, attempt }, 'could not record the end of a job');
        await clock.sleep(END_RETRY_MS);
      }
    }
  }

  async #crashed(error: unknown): Promise<void> {
    this.#context.log.error({ err: error, job: this.job.id }, 'job crashed');
    await this.#fail('internal', { message: messageOf(error) });
  }
}

function start(command: Command, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(command.executable, command.argv, {
    cwd: command.cwd,
    env,
    shell: false,
    // A new session, so that the job has its own process group.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

type Spawned = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

interface Ended {
  /** Null when the process could not be killed. */
  readonly exit: Exit | null;
  readonly tail: KillResult;
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
    // The stream was destroyed, because a surviving process holds its other end.
  }
}

/** As in a shell: 128 plus the number of the signal. */
function exitCodeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

async function within(work: Promise<unknown>, clock: Clock, ms: number): Promise<void> {
  let cancelTimer = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    cancelTimer = clock.wakeAt(clock.now() + ms, resolve);
  });
  await Promise.race([work, late]);
  cancelTimer();
}

function pidsOf({ left }: KillResult): string {
  return left.map(({ pid }) => pid).join(', ');
}
