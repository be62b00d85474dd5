// The host of a test, and the hosts that come after it: each crash ends one, and the next opens the
// same folder. Clock, sandbox and outside outlive them.
import { AssertionError } from 'node:assert';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { startHookServer, type HookServer } from '#main/inputs/hook-route.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { Outside, type OutsideOptions } from '#main/testing/outside.ts';
import {
  clockOf,
  createSimulatedClock,
  type SimulatedClock,
} from '#main/testing/simulated-clock.ts';
import type { Notice } from '#main/tools/notify.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';

export interface SetUp extends Pick<OutsideOptions, 'faults' | 'standIns'> {
  readonly folder: string;
  readonly startAt: number;
  readonly registry: object | undefined;
}

export class Lives {
  readonly clock: SimulatedClock;
  readonly outside: Outside;
  readonly notices: Notice[] = [];
  readonly #setUp: SetUp;
  readonly #sandbox: Sandbox;
  #host: Host;
  #life = 0;
  #crashing: Promise<void> | undefined;
  #door: Promise<HookServer> | undefined;

  constructor(setUp: SetUp) {
    this.#setUp = setUp;
    this.clock = createSimulatedClock(setUp.startAt);
    this.outside = new Outside({ ...setUp, crash: () => this.die() });
    this.#sandbox = createSandbox({ workers: 1 });
    this.#host = this.#open();
  }

  get host(): Host {
    return this.#host;
  }

  async call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> {
    const answer = await this.#host.dispatch(name, input);
    if (!answer.ok) {
      const problems = (answer.error.problems ?? []).map((problem) => `\n${problem}`);
      throw failure(`${answer.error.message}${problems.join('')}`);
    }
    return answer.output as CallOutput<Name>;
  }

  /** Lets all be done that can be done now. */
  async settled(): Promise<void> {
    let life: number;
    do {
      await this.#crashing;
      life = this.#life;
      // Waking is put off to the next turn; so is the end of a lane's work, and a stage's.
      for (let quiet = 0; quiet < 3 && life === this.#life && !this.#isDying();) {
        await new Promise((resolve) => setImmediate(resolve));
        await this.#host.engine.idle();
        quiet = this.#host.inputs.pipeline.isBusy ? 0 : quiet + 1;
      }
    } while (life !== this.#life || this.#isDying());
    if (this.outside.misuse) throw this.outside.misuse;
  }

  /** After an instant of the clock: most of them wake nobody but a heartbeat, and days have many. */
  async settledAfterInstant(workflowId: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const { engine, inputs } = this.#host;
    const isBusy = engine.isBusy(workflowId) || inputs.pipeline.isBusy;
    if (this.#isDying() || isBusy) await this.settled();
  }

  /** Where webhooks are taken in, whichever host is alive; open from its first use to the end. */
  async hookDoor(): Promise<string> {
    this.#door ??= startHookServer({
      route: (request, pathname) => this.#host.inputs.hookRoute(request, pathname),
      host: '127.0.0.1',
      port: 0,
      log: createSilentLog(),
    });
    return (await this.#door).url;
  }

  /** Resolves when the host that died can write nothing more; another one is open by then. */
  die(): Promise<void> {
    this.#crashing ??= this.#host.kill().then(() => {
      this.#host = this.#open();
      this.#crashing = undefined;
    });
    return this.#crashing;
  }

  async close(): Promise<void> {
    await this.#crashing;
    await (await this.#door)?.close();
    const closing = this.#host.close();
    // It waits on the clock for what does not end by itself.
    while (!(await isSettled(closing))) await this.clock.pass(1000, async () => undefined);
    await this.#sandbox.close();
    rmSync(this.#setUp.folder, { recursive: true, force: true });
    const missed = this.outside.faults.missed();
    if (missed.length > 0) throw failure(`A fault never came. ${missed.join('; ')}.`);
  }

  #open(): Host {
    const { folder, registry } = this.#setUp;
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { recursive: true });
    if (registry) writeFileSync(join(dataDir, 'runner.json'), JSON.stringify(registry));
    this.#life += 1;
    const life = this.#life;
    return createHost({
      dataDir,
      createLog: createSilentLog,
      clock: clockOf(
        this.clock,
        () => 0,
        () => life === this.#life,
      ),
      links: { host: '127.0.0.1', port: 0 },
      sandbox: this.#sandbox,
      tools: (tools) => this.outside.around(tools),
      notifier: async (notice) => void this.notices.push(notice),
      runner: { isEnabled: registry !== undefined },
    });
  }

  #isDying(): boolean {
    return this.#crashing !== undefined;
  }
}

async function isSettled(work: Promise<unknown>): Promise<boolean> {
  const no = new Promise<false>((resolve) => setTimeout(() => resolve(false), 20));
  return Promise.race([work.then(() => true), no]);
}

export function failure(message: string): AssertionError {
  return new AssertionError({ message });
}
