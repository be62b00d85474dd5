// Latency from a script printing a line to a follower having read it: the feed (WebSocket) announces
// the change, the REST API returns the text.
import { WebSocket } from 'ws';
import { amount, percentile, type Figure } from '../harness.ts';
import { TICKS, type BenchRunner } from './runner-host.ts';

const BAR_MS = 100;

export async function followLatency(runner: BenchRunner): Promise<Figure> {
  return amount('log_follow_p95', percentile(await follow(runner), 95), 'ms', BAR_MS);
}

async function follow(runner: BenchRunner): Promise<number[]> {
  const { url, token } = runner;
  const protocols = ['holdfast', `holdfast.bearer.${token}`];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/feed`, protocols);
  const latencies: number[] = [];
  const job = runner.start('ticks');
  let offset = 0;
  const read = async (): Promise<void> => {
    const response = await fetch(`${url}/api/runner/jobs/${job.id}/logs?offset=${offset}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const part = (await response.json()) as { next_offset: number; data: string };
    const now = Date.now();
    for (const [stamp] of part.data.matchAll(/\d{13}/g)) latencies.push(now - Number(stamp));
    offset = part.next_offset;
  };
  let last = Promise.resolve();
  let isWaiting = false;
  socket.on('message', (data: Buffer) => {
    if (!data.toString('utf8').includes(job.id) || isWaiting) return;
    isWaiting = true;
    last = last.then(async () => {
      isWaiting = false;
      await read();
    });
  });
  await runner.ended(job);
  await last;
  await read();
  socket.terminate();
  if (latencies.length !== TICKS)
    throw new Error(`Received ${latencies.length} of ${TICKS} lines.`);
  return latencies;
}
