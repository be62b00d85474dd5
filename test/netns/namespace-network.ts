// A network of Linux namespaces: a bridge, and hosts that are connected to it by one virtual cable each.
// It is isolated from the machine's network and disappears with its processes.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { Attack, WorkerAnswers } from '#test/netns/netns-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const WORKER = 'test/netns/netns-host.ts';

export interface NetHost {
  readonly dataDir: string;
  readonly address: string;
  ask<Name extends keyof WorkerAnswers>(name: Name, input?: unknown): Promise<WorkerAnswers[Name]>;
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  attack(attack: Omit<Attack, 'address'> & { readonly target: NetHost }): Promise<string>;
  /** Disconnects or reconnects the cable. */
  cable(state: 'down' | 'up'): void;
  /** Applies a queueing discipline of `tc` to every packet that the host receives. */
  shapeTraffic(discipline: readonly string[]): void;
  logged(): LoggedLine[];
}

export interface LoggedLine {
  readonly level: number;
  readonly msg: string;
  readonly refusal?: string;
  readonly who?: string;
  readonly name?: string;
  readonly end?: string;
}

export interface Network {
  host(): Promise<NetHost>;
}

export async function createNetwork(): Promise<Network> {
  // `cat` ends when its input closes, at the latest when this process exits.
  const hub = spawn('unshare', ['-rn', 'sh', '-c', `${HUB} && echo ready && exec cat`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void hub.kill('SIGKILL'));
  await new Promise((resolve, reject) => {
    hub.stdout.once('data', resolve);
    hub.once('exit', () => reject(new Error('The network namespace could not be created.')));
  });
  let made = 0;
  return { host: () => addHost(hub, (made += 1)) };
}

const HUB = 'ip link set lo up && ip link add hub type bridge && ip link set hub up';

const enter = (pid: number): string[] => ['-t', String(pid), '-U', '--preserve-credentials', '-n'];

function run(pid: number, command: string): void {
  execFileSync('nsenter', [...enter(pid), 'sh', '-c', command], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function addHost(hub: ChildProcess, number: number): Promise<NetHost> {
  const hubPid = hub.pid as number;
  const dataDir = tempFolder();
  const address = `10.77.0.${number}`;
  const cable = `cable${number}`;
  const child = spawn(
    'nsenter',
    [...enter(hubPid), 'unshare', '-n', process.execPath, WORKER, dataDir],
    { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const ask = askOver(child);
  // An answer means that the process is in its namespace and no longer nsenter.
  await ask('rss');
  run(
    hubPid,
    `ip link add ${cable} type veth peer name eth0 netns ${child.pid} && ip link set ${cable} master hub up`,
  );
  run(
    child.pid as number,
    `ip link set lo up && ip addr add ${address}/24 dev eth0 && ip link set eth0 up && ip route add 224.0.0.0/4 dev eth0`,
  );
  return {
    dataDir,
    address,
    ask,
    call: async (name, input) => (await ask('call', { name, input })) as never,
    attack: ({ target, ...attack }) => ask('attack', { address: target.address, ...attack }),
    cable: (state) => run(hubPid, `ip link set ${cable} ${state}`),
    shapeTraffic: (discipline) =>
      run(hubPid, `tc qdisc replace dev ${cable} root ${discipline.join(' ')}`),
    logged: () =>
      readFileSync(join(dataDir, 'logs/host.log'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as LoggedLine),
  };
}

function askOver(child: ChildProcess): NetHost['ask'] {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const reply = JSON.parse(line) as { id: number; value?: unknown; error?: string };
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.error === undefined) asked?.resolve(reply.value);
    else asked?.reject(new Error(reply.error));
  });
  child.once('exit', (code, signal) => {
    const error = new Error(`A host process exited with ${signal ?? code}.`);
    for (const { reject } of waiting.values()) reject(error);
  });
  return (name, input) => {
    const asked = Promise.withResolvers<unknown>();
    lastId += 1;
    waiting.set(lastId, asked);
    child.stdin?.write(`${JSON.stringify({ id: lastId, name, input })}\n`);
    return asked.promise as never;
  };
}
