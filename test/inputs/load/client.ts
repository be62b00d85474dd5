// The webhook client: a number of keep-alive connections that send as fast as they can and, like real
// senders, repeat a webhook that got no response.
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

export interface Sender {
  /** Null when no response arrived; the webhook may have arrived. */
  send(
    path: string,
    body: string,
    headers: { readonly [name: string]: string },
  ): Promise<Answer | null>;
  close(): void;
}

export function createSender(port: number, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send: (path, body, headers) =>
      new Promise((resolve) => {
        const startedAt = performance.now();
        const options = { host: '127.0.0.1', port, path, method: 'POST', agent };
        const sent = request(
          { ...options, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('error', () => resolve(null));
            response.on('close', () => response.complete || resolve(null));
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                body: Buffer.concat(chunks).toString(),
                ms: performance.now() - startedAt,
              }),
            );
          },
        );
        sent.on('error', () => resolve(null));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Calls `work` for each number, with limited concurrency. */
export async function inParallel(
  count: number,
  connections: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: connections }, one));
}

export async function untilAnswered(
  send: () => Promise<Answer | null>,
  onRetry: () => void,
): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    onRetry();
    await wait(20);
  }
}
