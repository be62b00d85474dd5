// Single requests to Chromium's DevTools protocol. Playwright attaches to every page and never returns
// if the page's process dies at that moment.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';

const ANSWER_MS = 4000;

interface Target {
  readonly type: string;
  readonly url: string;
  readonly webSocketDebuggerUrl: string;
}

/** The port of an app that was started with --remote-debugging-port=0, or undefined before it listens. */
export function devToolsPort(dataDir: string): string | undefined {
  const file = join(dataDir, 'electron', 'DevToolsActivePort');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n')[0] : undefined;
}

export async function rendererIds(port: string): Promise<number[]> {
  const { webSocketDebuggerUrl } = (await askHttp(port, 'version')) as Target;
  const { processInfo } = (await ask(webSocketDebuggerUrl, 'SystemInfo.getProcessInfo')) as {
    readonly processInfo: { readonly type: string; readonly id: number }[];
  };
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/** The address of the first page, and what an expression in it yields. */
export async function evaluate(
  port: string,
  expression: string,
): Promise<{ url: string; value: unknown }> {
  const targets = (await askHttp(port, 'list')) as Target[];
  const page = targets.find(({ type }) => type === 'page');
  if (!page) throw new Error('The app has no page.');
  const { result } = (await ask(page.webSocketDebuggerUrl, 'Runtime.evaluate', {
    expression,
    returnByValue: true,
  })) as { readonly result: { readonly value: unknown } };
  return { url: page.url, value: result.value };
}

async function askHttp(port: string, what: 'list' | 'version'): Promise<unknown> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`http://127.0.0.1:${port}/json/${what}`, { signal });
  return response.json();
}

function ask(url: string, method: string, params: object = {}): Promise<unknown> {
  const socket = new WebSocket(url);
  return new Promise<unknown>((resolve, reject) => {
    setTimeout(() => reject(new Error(`${method} was not answered.`)), ANSWER_MS).unref();
    socket.once('error', reject);
    socket.once('open', () => socket.send(JSON.stringify({ id: 1, method, params })));
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown };
      if (answer.id === 1) resolve(answer.result);
    });
  }).finally(() => socket.terminate());
}
