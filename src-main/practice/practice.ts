// A small outside world on this machine, to try on what a real one does at the worst moment: it
// acts, and it can be told to lose the answer. Loopback only.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readJsonBody } from '#main/boundary/http-body.ts';
import { checkOrigin } from '#main/boundary/http-guard.ts';
import { createPracticeEffects, type PracticeEffect } from '#main/practice/effects.ts';
import { createFaults, faultSchema, type Fault } from '#main/practice/faults.ts';
import { practicePage } from '#main/practice/page.ts';
import { sendJson, sendPage } from '#main/practice/respond.ts';
import type { Json } from '#shared/json.ts';

export interface Practice {
  readonly url: string;
  effects(): readonly PracticeEffect[];
  close(): Promise<void>;
}

const EFFECT_PATH = /^\/effects\/([\w.~-]{1,100})$/;

/** `port` 0: any free one. */
export async function startPractice({ port }: { readonly port: number }): Promise<Practice> {
  const effects = createPracticeEffects(() => Date.now());
  const faults = createFaults();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_, socket) => socket.destroy());
  const boundPort = await listen(server, port);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = checkOrigin(request, boundPort);
    if (stranger) return sendJson(response, 403, { error: stranger.message });
    const url = URL.parse(request.url ?? '/', 'http://practice');
    const name = EFFECT_PATH.exec(url?.pathname ?? '')?.[1];
    const route = `${request.method} ${name === undefined ? url?.pathname : '/effects/:name'}`;
    if (url && route === 'POST /effects/:name') return act(request, response, url, name ?? '');
    if (url && route === 'GET /effects') return look(request, response, url);
    if (route === 'POST /faults') return setFault(request, response);
    if (route === 'GET /')
      return sendPage(response, practicePage(effects.list(), faults.waiting()));
    return sendJson(response, 404, {
      error:
        'There are: POST /effects/NAME, GET /effects, GET /effects?key=KEY, POST /faults, GET /.',
    });
  }

  async function act(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    name: string,
  ): Promise<void> {
    const fault = faultOf(request, 'effects');
    if (breaksBefore(fault, response)) return;
    const body = await readBody(request);
    if (body === undefined)
      return sendJson(response, 413, { error: 'The body is no JSON, or too large.' });
    const key = String(request.headers['idempotency-key'] ?? '') || null;
    const { effect, duplicate } = effects.act(
      { name, key, body },
      url.searchParams.get('dedupe') === '1',
    );
    await finish(fault, response, () =>
      sendJson(response, duplicate ? 200 : 201, { effect: { ...effect }, duplicate }),
    );
  }

  async function look(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const fault = faultOf(request, 'lookups');
    if (breaksBefore(fault, response)) return;
    const key = url.searchParams.get('key');
    const found = key === null ? effects.list() : effects.byKey(key);
    const newest = found.slice(-1000).map((effect) => ({ ...effect }));
    await finish(fault, response, () =>
      sendJson(response, 200, { count: found.length, effects: newest }),
    );
  }

  async function setFault(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJsonBody(request);
    const fault = faultSchema.safeParse(body.ok ? body.value : undefined);
    if (!fault.success) {
      return sendJson(response, 400, {
        error: fault.error.issues.map(({ message }) => message).join('; '),
      });
    }
    faults.add(fault.data);
    return sendJson(response, 200, {
      waiting: faults.waiting().map((waiting) => ({ ...waiting })),
    });
  }

  function faultOf(request: IncomingMessage, on: Fault['on']): Fault | null {
    return faults.next(on, request.headers['x-practice-fault'] as string | undefined);
  }

  return {
    url: `http://127.0.0.1:${boundPort}`,
    effects: () => [...effects.list()],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** True when the request has come to its end without acting. */
function breaksBefore(fault: Fault | null, response: ServerResponse): boolean {
  if (fault?.mode === 'refuse') response.destroy();
  else if (fault?.mode === 'fail_before')
    sendJson(response, 500, { error: 'It did not act, as it was told.' });
  else return false;
  return true;
}

async function finish(
  fault: Fault | null,
  response: ServerResponse,
  answer: () => void,
): Promise<void> {
  if (fault?.mode === 'drop_answer') return void response.destroy();
  if (fault?.mode === 'garbage')
    return void response.socket?.end('\u0001 this is not HTTP\r\n\r\n');
  if (fault?.mode === 'delay') {
    const timer = setTimeout(answer, fault.ms);
    response.on('close', () => clearTimeout(timer));
    return;
  }
  answer();
}

/** Null where it is no JSON, undefined where it is too large. */
async function readBody(request: IncomingMessage): Promise<Json | undefined> {
  const body = await readJsonBody(request);
  if (body.ok) return body.value as Json;
  return body.error.type === 'too_large' ? undefined : null;
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
