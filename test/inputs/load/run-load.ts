// Sends webhooks, some twice, from a real client on loopback while the host is killed and restarted,
// and counts their effects on an outside server.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import SQLite from 'better-sqlite3';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import { auditLoad, type LoadAudit } from '#test/inputs/load/audit.ts';
import { createSender, inParallel, untilAnswered } from '#test/inputs/load/client.ts';
import type { LoadEndpoint, LoadJob } from '#test/inputs/load/host-worker.ts';
import { firstLine } from '#test/support/child-processes.ts';

export interface LoadOptions {
  /** Distinct inputs. */
  readonly inputs: number;
  /** Inputs that are sent twice. */
  readonly duplicates: number;
  readonly kills: number;
  readonly connections: number;
  readonly workflows: number;
}

export interface LoadTotals extends LoadAudit {
  readonly sent: number;
  readonly accepted: number;
  readonly retries: number;
  readonly kills: number;
  /** Responses to duplicates that differ from the first response. */
  readonly otherAnswers: number;
  /** Effects on the outside server, and effects that happened more than once. */
  readonly effects: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly secondsToAccept: number;
  readonly seconds: number;
}

const worker = fileURLToPath(new URL('host-worker.ts', import.meta.url));
const STILL_FOR_MS = 120_000;

export async function runLoad(dataDir: string, options: LoadOptions): Promise<LoadTotals> {
  const outside = await startOutside();
  const job: LoadJob = {
    dataDir,
    port: 0,
    outsideUrl: outside.url,
    workflows: options.workflows,
  };
  const startedAt = performance.now();
  let host = await startHost(job);
  const { port, hooks } = host.endpoint;
  const sender = createSender(port, options.connections);
  const ids = new Map<number, string>();
  const answered = { accepted: 0 };
  let retries = 0;
  let otherAnswers = 0;
  const plan = shuffled(options);

  const send = async (index: number): Promise<void> => {
    const n = plan[index] ?? 0;
    const hook = hooks[n % hooks.length] as LoadEndpoint['hooks'][number];
    const headers = { Authorization: `Bearer ${hook.secret}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ n, title: `Input ${n}` });
    const { status, body: answer } = await untilAnswered(
      () => sender.send(hook.path, body, headers),
      () => (retries += 1),
    );
    if (status !== 202) throw new Error(`Answered ${status}: ${answer}`);
    answered.accepted += 1;
    const known = ids.get(n);
    if (known === undefined) ids.set(n, answer);
    else if (known !== answer) otherAnswers += 1;
  };

  try {
    const sending = inParallel(plan.length, options.connections, send);
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const wanted = (plan.length * kill) / (options.kills + 1);
      while (answered.accepted < wanted) await wait(5);
      await end(host.child, 'SIGKILL');
      host = await startHost({ ...job, port });
    }
    await sending;
    const secondsToAccept = secondsSince(startedAt);
    await untilEnded(dataDir, options.inputs);
    await end(host.child, 'SIGTERM');
    const counts = [...outside.counts.values()];
    return {
      ...auditLoad(dataDir),
      sent: plan.length,
      ...answered,
      retries,
      kills: options.kills,
      otherAnswers,
      effects: counts.length,
      duplicates: counts.filter((count) => count > 1).length,
      lost: options.inputs - counts.length,
      secondsToAccept,
      seconds: secondsSince(startedAt),
    };
  } finally {
    sender.close();
    host.child.kill('SIGKILL');
    outside.server.closeAllConnections();
    outside.server.close();
  }
}

export function isSound(totals: LoadTotals, { inputs, duplicates }: LoadOptions): boolean {
  return (
    totals.sent === inputs + duplicates &&
    totals.accepted === totals.sent &&
    totals.inputs === inputs &&
    totals.runs === inputs &&
    totals.byStatus['succeeded'] === inputs &&
    totals.effects === inputs &&
    totals.effectsInLedger === inputs &&
    [totals.stuck, totals.duplicates, totals.lost, totals.otherAnswers].every((n) => n === 0) &&
    [totals.duplicateSessions, totals.duplicatePrompts, totals.outboxLeft].every((n) => n === 0)
  );
}

/** The order of sending: every input once, with duplicates in between. */
function shuffled({ inputs, duplicates }: LoadOptions): number[] {
  const plan = [
    ...Array.from({ length: inputs }, (_, n) => n),
    ...Array.from({ length: duplicates }, (_, n) => (n * 7) % inputs),
  ];
  let state = 1;
  for (let index = plan.length - 1; index > 0; index -= 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = state % (index + 1);
    [plan[index], plan[other]] = [plan[other] as number, plan[index] as number];
  }
  return plan;
}

async function untilEnded(dataDir: string, wanted: number): Promise<void> {
  // Reads the live database, because a copy of its files could be inconsistent.
  const db = new SQLite(join(dataDir, DATABASE_FILE), { readonly: true });
  const look = db.prepare<[], { done: number; moves: number }>(
    `SELECT count(completion_artifact_ref) AS done, sum(moves) AS moves FROM automation_runs`,
  );
  try {
    await untilStill(() => look.get() ?? { done: 0, moves: 0 }, wanted);
  } finally {
    db.close();
  }
}

/** Waits until this many are done, or until nothing changes for a long time. */
async function untilStill(
  look: () => { readonly done: number; readonly moves: number },
  wanted: number,
): Promise<void> {
  let last = -1;
  for (let stillSince = performance.now(); ;) {
    const { done, moves } = look();
    if (done >= wanted) return;
    if (done + moves !== last) stillSince = performance.now();
    if (performance.now() - stillSince > STILL_FOR_MS) return;
    last = done + moves;
    await wait(1000);
  }
}

interface Outside {
  readonly server: Server;
  readonly url: string;
  /** Number of effects by key. */
  readonly counts: Map<number, number>;
}

/** The outside server, without deduplication. */
async function startOutside(): Promise<Outside> {
  const counts = new Map<number, number>();
  const keys = new Map<string, number>();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const url = new URL(request.url ?? '/', 'http://outside');
    if (url.pathname === '/look') {
      request.resume();
      return answer(200, { count: keys.get(url.searchParams.get('key') ?? '') ?? 0 });
    }
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { n } = JSON.parse(text) as { n: number };
      const key = String(request.headers['idempotency-key']);
      counts.set(n, (counts.get(n) ?? 0) + 1);
      keys.set(key, (keys.get(key) ?? 0) + 1);
      answer(201, { n });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}`, counts };
}

async function startHost(job: LoadJob): Promise<{ child: ChildProcess; endpoint: LoadEndpoint }> {
  const child = spawn(process.execPath, [worker, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await firstLine(child.stdout as NodeJS.ReadableStream);
  return { child, endpoint: JSON.parse(line) as LoadEndpoint };
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const exited = once(child, 'exit');
  child.stdout?.resume();
  child.kill(signal);
  await exited;
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
