// Hosts that many scenarios use, each started when the first scenario needs it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host } from '#test/blackbox/harness/host.ts';
import { pairByLink } from '#test/blackbox/harness/pairing.ts';

export class SharedHosts {
  /** The folder of everything that the suite writes. */
  readonly root = mkdtempSync(join(tmpdir(), 'holdfast-blackbox-'));
  readonly #started: Host[] = [];
  #everyday: Promise<Host> | undefined;
  #pair: Promise<readonly [Host, Host]> | undefined;

  everyday(): Promise<Host> {
    this.#everyday ??= this.#start('everyday', { RUNNER_ENABLED: 'true' });
    return this.#everyday;
  }

  pair(): Promise<readonly [Host, Host]> {
    this.#pair ??= this.#startPair();
    return this.#pair;
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((host) => host.stop()));
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  async #startPair(): Promise<readonly [Host, Host]> {
    const [desk, laptop] = await Promise.all([this.#start('desk'), this.#start('laptop')]);
    await desk.says('rename', 'Desk');
    await laptop.says('rename', 'Laptop');
    await pairByLink(desk, laptop);
    return [desk, laptop];
  }

  async #start(name: string, env: { [name: string]: string } = {}): Promise<Host> {
    const dataDir = join(this.root, name);
    mkdirSync(dataDir);
    const host = new Host({ dataDir, env });
    this.#started.push(host);
    await host.start();
    return host;
  }
}
