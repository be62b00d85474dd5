// The cost of accepting a webhook: the host against a bare server that writes the same rows with
// plain statements and group commit, both on disk before they answer; and the time until the first
// handler starts.
import { Agent, request } from 'node:http';
import { startSide, type SideProcess } from './engine/side.ts';
import { amount, median, percentile, perSecond, report } from './harness.ts';
import { bodyOf, CONNECTIONS, SECRET, WEBHOOKS } from './ingress/webhook-body.ts';
import type { BaselineAnswers } from './ingress/sides/ingress-baseline.ts';
import type { HostAnswers } from './ingress/sides/ingress-host.ts';

const ROUNDS = 3;
const MIN_OF_BASELINE = 0.6;
const MAX_MS_TO_HANDLER = 20;

interface Measured {
  readonly perSecond: number;
  readonly p99: number;
}

const host = await startSide<HostAnswers>(sideFile('ingress-host'), []);
const baseline = await startSide<BaselineAnswers>(sideFile('ingress-baseline'), []);
let sent = 0;
// Warm-up: fills caches and lets the JIT settle. Not counted.
await playRound(0);
const rounds: (Awaited<ReturnType<typeof playRound>> & { waits: readonly number[] })[] = [];
for (let index = 0; index < ROUNDS; index += 1) {
  rounds.push({ ...(await playRound(index)), waits: await host.ask('firstHandler') });
}
await host.ask('drained');
const counts = { host: await host.ask('counts'), baseline: await baseline.ask('counts') };
await host.end();
await baseline.end();

for (const { inputs, runs } of Object.values(counts)) {
  if (inputs < sent || runs !== inputs)
    throw new Error(`Inputs were lost: ${JSON.stringify(counts)}.`);
}
const medianOf = (side: 'host' | 'baseline', figure: keyof Measured): number =>
  median(rounds.map((round) => round[side][figure]));
const waited = (percent: number): number =>
  median(rounds.map(({ waits }) => percentile(waits, percent)));
const p99 = { ours: medianOf('host', 'p99'), baseline: medianOf('baseline', 'p99') };
report('ingress', [
  perSecond(
    'webhooks_per_s_64',
    medianOf('host', 'perSecond'),
    medianOf('baseline', 'perSecond'),
    MIN_OF_BASELINE,
  ),
  {
    ...amount('webhook_p99_64', p99.ours, 'ms', null),
    baseline: Number(p99.baseline.toFixed(2)),
    ratio: Number((p99.ours / p99.baseline).toFixed(3)),
  },
  amount('accepted_to_handler_p50', waited(50), 'ms', MAX_MS_TO_HANDLER),
  amount('accepted_to_handler_p95', waited(95), 'ms', null),
]);

function sideFile(name: string): URL {
  return new URL(`./ingress/sides/${name}.ts`, import.meta.url);
}

/** The order alternates, and the host's later stages finish before the next side is timed. */
async function playRound(index: number): Promise<{ host: Measured; baseline: Measured }> {
  const first = sent;
  sent += WEBHOOKS;
  const ours = async (): Promise<Measured> => {
    const measured = await sendAll(host, first);
    await host.ask('drained');
    return measured;
  };
  if (index % 2 === 0) {
    const measured = await ours();
    return { host: measured, baseline: await sendAll(baseline, first) };
  }
  const measured = await sendAll(baseline, first);
  return { host: await ours(), baseline: measured };
}

async function sendAll(
  side: Pick<SideProcess<BaselineAnswers>, 'ask'>,
  first: number,
): Promise<Measured> {
  const { port, path } = await side.ask('address');
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let next = 0;
  const sendOne = (n: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const body = bodyOf(first + n);
      const headers = {
        Authorization: `Bearer ${SECRET}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      };
      const startedAt = performance.now();
      const options = { host: '127.0.0.1', port, path, method: 'POST', agent, headers };
      request(options, (response) => {
        response.resume();
        response.on('end', () => {
          times.push(performance.now() - startedAt);
          if (response.statusCode === 202) resolve();
          else reject(new Error(`A webhook was answered with status ${response.statusCode}.`));
        });
      })
        .on('error', reject)
        .end(body);
    });
  const connection = async (): Promise<void> => {
    for (let n = next++; n < WEBHOOKS; n = next++) await sendOne(n);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return { perSecond: WEBHOOKS / seconds, p99: percentile(times, 99) };
}
