// The host of a test. A crash kills it, and a new host opens the same data folder. Clock, sandbox and
// outside survive.
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
import type { TestNetwork } from '#main/testing/test-network.ts';
import type { Notice } from '#main/tools/notify.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { isJson } from '#shared/json.ts';

export interface TestSetup extends Pick<OutsideOptions, 'faults' | 'standIns' | 'network'> {
  readonly folder: string;
  readonly startAt: number;
  readonly registry: object | undefined;
}

export class RestartableHost {
  readonly clock: SimulatedClock;
  readonly outside: Outside;
  readonly notices: Notice[] = [];
  readonly #setup: TestSetup;
  readonly #sandbox: Sandbox;
  #host: Host;
  #generation = 0;
  #crashing: Promise<void> | undefined;
  #hookServer: Promise<HookServer> | undefined;

  constructor(setup: TestSetup) {
    this.#setup = setup;
    this.clock = createSimulatedClock(setup.startAt);
    this.outside = new Outside({ ...setup, crash: () => this.crash() });
    this.#sandbox = createSandbox({ workers: 1 });
    this.#host = this.#open();
  }

  get network(): TestNetwork {
    return this.#setup.network;
  }

  get host(): Host {
    return this.#host;
  }

  async call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> {
    // As text, like every call from outside: the host gets the same numbers as in production.
    const sent = isJson(input) ? parseExactJson(JSON.stringify(input)) : input;
    const result = await this.#host.dispatch(name, sent);
    if (!result.ok) {
      const problems = (result.error.problems ?? []).map((problem) => `\n${problem}`);
      throw testFailure(`${result.error.message}${problems.join('')}`);
    }
    return result.output as CallOutput<Name>;
  }

  /** Waits until everything that is due now is done. */
  async settled(): Promise<void> {
    let generation: number;
    do {
      await this.#crashing;
      generation = this.#generation;
      // Wake-ups, lanes and stages defer work to the next turn, so several idle turns are needed.
      for (
        let idleTurns = 0;
        idleTurns < 3 && generation === this.#generation && !this.#isCrashing();
      ) {
        await new Promise((resolve) => setImmediate(resolve));
        await this.#host.engine.idle();
        idleTurns = this.#host.inputs.pipeline.isBusy ? 0 : idleTurns + 1;
      }
    } while (generation !== this.#generation || this.#isCrashing());
    if (this.outside.misuse) throw this.outside.misuse;
  }

  /** A cheaper `settled` for each step of the clock: most steps are heartbeats, and days have many. */
  async settledAfterInstant(workflowId: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const { engine, inputs } = this.#host;
    const isBusy = engine.isBusy(workflowId) || inputs.pipeline.isBusy;
    if (this.#isCrashing() || isBusy) await this.settled();
  }

  /** URL of the hook server, which starts on first use and survives crashes. */
  async hookServerUrl(): Promise<string> {
    this.#hookServer ??= startHookServer({
      route: (request, pathname) => this.#host.inputs.hookRoute(request, pathname),
      host: '127.0.0.1',
      port: 0,
      log: createSilentLog(),
    });
    return (await this.#hookServer).url;
  }

  /** Resolves when the killed host can no longer write and a new one is open. */
  crash(): Promise<void> {
    this.#crashing ??= this.#host.kill().then(() => {
      this.#host = this.#open();
      this.#crashing = undefined;
    });
    return this.#crashing;
  }

  async close(): Promise<void> {
    await this.#crashing;
    await (await this.#hookServer)?.close();
    const closing = this.#host.close();
    // close() waits by the clock for runs that don't end.
    while (!(await isSettled(closing))) await this.clock.pass(1000, async () => undefined);
    await this.#sandbox.close();
    rmSync(this.#setup.folder, { recursive: true, force: true });
    const missed = this.outside.faults.missed();
    if (missed.length > 0) throw testFailure(`A fault never fired. ${missed.join('; ')}.`);
  }

  #open(): Host {
    const { folder, registry } = this.#setup;
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { recursive: true });
    if (registry) writeFileSync(join(dataDir, 'runner.json'), JSON.stringify(registry));
    this.#generation += 1;
    const generation = this.#generation;
    return createHost({
      dataDir,
      createLog: createSilentLog,
      clock: clockOf(
        this.clock,
        () => 0,
        () => generation === this.#generation,
      ),
      links: { host: '127.0.0.1', port: 0 },
      sandbox: this.#sandbox,
      tools: (tools) => this.outside.wrap(tools),
      notifier: async (notice) => void this.notices.push(notice),
      runner: { isEnabled: registry !== undefined },
      turnWaitMs: 0,
      network: this.#setup.network,
    });
  }

  #isCrashing(): boolean {
    return this.#crashing !== undefined;
  }
}

async function isSettled(work: Promise<unknown>): Promise<boolean> {
  const no = new Promise<false>((resolve) => setTimeout(() => resolve(false), 20));
  return Promise.race([work.then(() => true), no]);
}

export function testFailure(message: string): AssertionError {
  return new AssertionError({ message });
}
