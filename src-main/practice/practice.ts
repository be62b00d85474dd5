// The practice service: a local server that accepts effects and can inject faults, for example
// drop its reply. Loopback only.
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

/** Port 0 means any free port. */
export async function startPractice({ port }: { readonly port: number }): Promise<Practice> {
  const effects = createPracticeEffects(() => Date.now());
  const faults = createFaults();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_, socket) => socket.destroy());
  const boundPort = await listen(server, port);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const badOrigin = checkOrigin(request, boundPort);
    if (badOrigin) return sendJson(response, 403, { error: badOrigin.message });
    const url = URL.parse(request.url ?? '/', 'http://practice');
    const name = EFFECT_PATH.exec(url?.pathname ?? '')?.[1];
    const route = `${request.method} ${name === undefined ? url?.pathname : '/effects/:name'}`;
    if (url && route === 'POST /effects/:name') {
      return applyEffect(request, response, url, name ?? '');
    }
    if (url && route === 'GET /effects') return listEffects(request, response, url);
    if (route === 'POST /faults') return addFault(request, response);
    if (route === 'GET /') return sendPage(response, practicePage(effects.list(), faults.queued()));
    return sendJson(response, 404, {
      error:
        'Unknown route. Use POST /effects/NAME, GET /effects, GET /effects?key=KEY, POST /faults or GET /.',
    });
  }

  async function applyEffect(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    name: string,
  ): Promise<void> {
    const fault = faultOf(request, 'effects');
    if (failsBefore(fault, response)) return;
    const body = await readBody(request);
    if (body === undefined) return sendJson(response, 413, { error: 'The body is too large.' });
    const key = String(request.headers['idempotency-key'] ?? '') || null;
    const { effect, duplicate } = effects.apply(
      { name, key, body },
      url.searchParams.get('dedupe') === '1',
    );
    await reply(fault, response, () =>
      sendJson(response, duplicate ? 200 : 201, { effect: { ...effect }, duplicate }),
    );
  }

  async function listEffects(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> {
    const fault = faultOf(request, 'lookups');
    if (failsBefore(fault, response)) return;
    const key = url.searchParams.get('key');
    const found = key === null ? effects.list() : effects.byKey(key);
    const newest = found.slice(-1000).map((effect) => ({ ...effect }));
    await reply(fault, response, () =>
      sendJson(response, 200, { count: found.length, effects: newest }),
    );
  }

  async function addFault(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJsonBody(request);
    const fault = faultSchema.safeParse(body.ok ? body.value : undefined);
    if (!fault.success) {
      return sendJson(response, 400, {
        error: fault.error.issues.map(({ message }) => message).join('; '),
      });
    }
    faults.add(fault.data);
    return sendJson(response, 200, {
      waiting: faults.queued().map((queued) => ({ ...queued })),
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

/** True if the fault ended the request before it had an effect. */
function failsBefore(fault: Fault | null, response: ServerResponse): boolean {
  if (fault?.mode === 'refuse') response.destroy();
  else if (fault?.mode === 'fail_before')
    sendJson(response, 500, { error: 'Fault "fail_before": no effect was applied.' });
  else return false;
  return true;
}

async function reply(
  fault: Fault | null,
  response: ServerResponse,
  send: () => void,
): Promise<void> {
  if (fault?.mode === 'drop_answer') return void response.destroy();
  if (fault?.mode === 'garbage')
    return void response.socket?.end('\u0001 this is not HTTP\r\n\r\n');
  if (fault?.mode === 'delay') {
    const timer = setTimeout(send, fault.ms);
    response.on('close', () => clearTimeout(timer));
    return;
  }
  send();
}

/** Null if the body is not JSON, undefined if it is too large. */
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
