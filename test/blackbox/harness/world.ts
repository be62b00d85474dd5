// What one scenario has at hand. Everything it opens is closed when it ends.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Host, type HostOptions } from '#test/blackbox/harness/host.ts';
import { Outside } from '#test/blackbox/harness/outside.ts';
import { consumer, workflowSource, type ConsumerParts } from '#test/blackbox/harness/source.ts';
import type { SharedHosts } from '#test/blackbox/harness/shared-hosts.ts';
import { untilHolds } from '#test/blackbox/harness/until.ts';
import { Workflow } from '#test/blackbox/harness/workflow.ts';

export class World {
  /** How long a condition may take. */
  readonly patienceMs: number;
  /** Distinguishes this scenario's workflows from those of others on the same host. */
  readonly #tag: string;
  readonly #shared: SharedHosts;
  readonly #cleanups: (() => unknown)[] = [];
  readonly #hosts = new Set<Host>();
  #outside: Promise<Outside> | undefined;
  #files = 0;

  constructor(tag: string, shared: SharedHosts, patienceMs: number) {
    this.#tag = tag;
    this.#shared = shared;
    this.patienceMs = patienceMs;
  }

  /** The host that all scenarios share which only add and use their own workflows. */
  async host(): Promise<Host> {
    return this.#seen(await this.#shared.everyday());
  }

  /** Two paired devices that scenarios share which neither stop nor rename them. */
  async pair(): Promise<readonly [Host, Host]> {
    const [desk, laptop] = await this.#shared.pair();
    return [this.#seen(desk), this.#seen(laptop)];
  }

  /** A host of this scenario only. */
  async ownHost(options: Omit<HostOptions, 'dataDir'> & { dataDir?: string } = {}): Promise<Host> {
    const host = this.unstartedHost(options);
    await host.start();
    return host;
  }

  unstartedHost(options: Omit<HostOptions, 'dataDir'> & { dataDir?: string } = {}): Host {
    const host = new Host({ dataDir: join(this.folder(), 'data'), ...options });
    this.#cleanups.push(() => host.kill());
    return this.#seen(host);
  }

  /** The counting service of this scenario. */
  outside(): Promise<Outside> {
    this.#outside ??= this.anotherOutside();
    return this.#outside;
  }

  async anotherOutside(): Promise<Outside> {
    const outside = await Outside.open();
    this.#cleanups.push(() => outside.close());
    return outside;
  }

  folder(): string {
    return mkdtempSync(join(this.#shared.root, 'scenario-'));
  }

  name(base: string): string {
    return `${base}-${this.#tag}`;
  }

  /** Writes a workflow file of this scenario. */
  write(source: string, base = 'workflow'): string {
    this.#files += 1;
    const folder = join(this.#shared.root, 'files', this.#tag);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${base}-${this.#files}.ts`);
    writeFileSync(file, source);
    return file;
  }

  /** Adds a file by the command line. */
  async add(host: Host, source: string): Promise<Workflow> {
    const name = /\bname: "([^"]+)"/.exec(source)?.[1] ?? '';
    const file = this.write(source, name);
    await host.says('add', file);
    return this.known(host, name, file);
  }

  /** A workflow that the host has already. */
  async known(host: Host, name: string, file = ''): Promise<Workflow> {
    const workflows = await host.workflows();
    const named = workflows.filter((workflow) => workflow.name === name);
    const { id = '' } = named.find(({ path }) => path === file) ?? named[0] ?? {};
    return new Workflow(host, id, name, file, this.patienceMs);
  }

  /** The everyday workflow: each event in `in` is posted to `/file` at the scenario's outside. */
  async filing(host: Host, parts: ConsumerParts & FilingParts = {}): Promise<Workflow> {
    return this.add(host, await this.filingSource(parts));
  }

  async filingSource(parts: ConsumerParts & FilingParts = {}): Promise<string> {
    const { base = 'invoices', topics, more = '', producers = '', checks, ...rest } = parts;
    const outside = await this.outside();
    const reconcile = checks === undefined ? '' : `, reconcile: ${reconcileBy(outside, checks)}`;
    const mutate = `await ctx.tools.http.post({ url: '${outside.url}/file', json: prepared.data${reconcile} });`;
    return workflowSource({
      name: this.name(base),
      uses: `{ http: { hosts: ['${outside.host}'] } }`,
      ...(topics ? { topics } : {}),
      producers,
      consumers: consumer('file', { mutate, ...rest }) + more,
    });
  }

  until<Seen>(
    what: string,
    look: () => Promise<Seen> | Seen,
    holds: (seen: Seen) => boolean,
  ): Promise<Seen> {
    return untilHolds(what, this.patienceMs, look, holds);
  }

  onEnd(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.toReversed()) await cleanup();
  }

  /** The last log lines of every host that the scenario used. */
  logs(): readonly string[] {
    return [...this.#hosts].flatMap((host, index) => [
      `log of host ${index + 1} (${host.dataDir}):`,
      ...host.lastLogLines().map((line) => `  ${line}`),
    ]);
  }

  #seen(host: Host): Host {
    this.#hosts.add(host);
    return host;
  }
}

interface FilingParts {
  readonly base?: string;
  readonly topics?: readonly string[];
  /** The text of further consumers. */
  readonly more?: string;
  readonly producers?: string;
  /** The outside can be asked by key: `proves` if "not found" proves that it did not happen. */
  readonly checks?: 'finds' | 'proves';
}

function reconcileBy(outside: Outside, checks: 'finds' | 'proves'): string {
  const proof = checks === 'proves' ? ', didNotHappenWhen: { status: [404] }, settleMs: 0' : '';
  return `{ url: '${outside.url}/by-key/{effectId}', happenedWhen: { status: [200] }${proof} }`;
}
