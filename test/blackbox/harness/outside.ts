// The outside world of one scenario: an HTTP service on a port of its own. It counts what it did and
// follows a script of faults. It never deduplicates, so an effect that is made twice is seen twice.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call that changed something. */
export interface Act {
  readonly path: string;
  /** The Idempotency-Key that came with it. */
  readonly key: string | null;
  /** The exact bytes, as text. */
  readonly text: string;
  readonly at: number;
}

export type Fault =
  /** Acts, then cuts the connection. */
  | 'lose the answer'
  /** Cuts the connection and does not act. */
  | 'cut before acting'
  /** Acts, then answers something that is not HTTP. */
  | 'answer garbage'
  /** Acts, sends a status line and the beginning of a body, then cuts the connection. */
  | 'cut in the answer'
  | Answered
  | Held;

export interface Answered {
  readonly status: number;
  /** Whether it acts before it answers; by default not. */
  readonly acts?: boolean;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** Acts, then answers once `release` was called. */
class Held {
  readonly #arrived = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  readonly arrived: Promise<void> = this.#arrived.promise;
  readonly released: Promise<void> = this.#released.promise;

  arrive(): void {
    this.#arrived.resolve();
  }

  release(): void {
    this.#released.resolve();
  }
}
export type { Held };

const LOOK_UP = '/by-key/';

export class Outside {
  readonly acts: Act[] = [];
  /** Paths of the reads, in order. */
  readonly reads: string[] = [];
  /** Lookups by key answer "not found" while this is true. */
  isHiding = false;
  readonly #faults = new Map<string, Fault[]>();
  readonly #pages = new Map<string, string>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });
  readonly #held = new Set<Held>();
  #port = 0;

  static async open(): Promise<Outside> {
    const outside = new Outside();
    await outside.listen();
    return outside;
  }

  /** `host:port`, as a workflow's `uses` names it. */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** At the port that it had before, if it was closed. */
  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** The next calls to this path meet these faults, one each. */
  script(path: string, ...faults: readonly Fault[]): void {
    this.#faults.set(path, [...(this.#faults.get(path) ?? []), ...faults]);
  }

  /** The next call to this path is answered only when the scenario says so. */
  hold(path: string): Held {
    const held = new Held();
    this.#held.add(held);
    this.script(path, held);
    return held;
  }

  /** What a GET of this path returns. */
  page(path: string, text: string): void {
    this.#pages.set(path, text);
  }

  /** What was done at this path, or at all. */
  done(path?: string): readonly Act[] {
    return path === undefined ? this.acts : this.acts.filter((act) => act.path === path);
  }

  count(path?: string): number {
    return this.done(path).length;
  }

  /** The bodies of what was done at this path, parsed, in order. */
  bodies(path?: string): unknown[] {
    return this.done(path).map(({ text }) => JSON.parse(text) as unknown);
  }

  /** Nobody answers any more: connections are refused. */
  close(): Promise<void> {
    for (const held of this.#held) held.release();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const fault = this.#faults.get(path)?.shift();
    if (isRead) this.reads.push(path);
    if (fault === 'cut before acting') return void response.destroy();
    if (!isRead && acts(fault)) {
      const key = request.headers['idempotency-key'];
      this.acts.push({ path, key: typeof key === 'string' ? key : null, text, at: Date.now() });
    }
    if (fault === 'lose the answer') return void response.destroy();
    if (fault === 'answer garbage') return void response.socket?.end('\u0001 not HTTP\r\n\r\n');
    if (fault === 'cut in the answer') return cutInTheAnswer(response);
    if (typeof fault === 'object' && 'status' in fault) return answer(response, fault);
    if (fault) {
      fault.arrive();
      await fault.released;
    }
    answer(response, isRead ? this.#read(path) : { status: 201, body: this.#receipt() });
  }

  #read(path: string): Answered {
    if (path.startsWith(LOOK_UP)) {
      const key = path.slice(LOOK_UP.length);
      const found = this.isHiding ? [] : this.acts.filter((act) => act.key === key);
      return { status: found.length === 0 ? 404 : 200, body: `{"times":${found.length}}` };
    }
    const page = this.#pages.get(path);
    return { status: page === undefined ? 404 : 200, body: page ?? '{}' };
  }

  #receipt(): string {
    return `{"number":${this.acts.length}}`;
  }
}

function acts(fault: Fault | undefined): boolean {
  return typeof fault === 'object' && 'status' in fault ? fault.acts === true : true;
}

function answer(response: ServerResponse, { status, headers, body }: Answered): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body ?? '{}');
}

function cutInTheAnswer(response: ServerResponse): void {
  response.writeHead(201, { 'Content-Length': '1000' });
  response.write('{"number":', () => response.destroy());
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
