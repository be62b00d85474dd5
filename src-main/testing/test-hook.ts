// A hook in a test: deliveries are signed as the hook requires and sent over real HTTP.
import { createHmac } from 'node:crypto';
import type { HookAuth } from '#shared/inputs/hook.ts';
import type { Json } from '#shared/json.ts';

/** How a sender authenticates; `bearer` by default. */
export type HookAuthKind = HookAuth['kind'];

export interface DeliveryResult {
  /** HTTP status: 202 accepted, 401 not authenticated, 409 a replay … */
  readonly status: number;
  /** The input of this delivery, or of the first one for a duplicate; null if refused. */
  readonly inputId: string | null;
  /** The delivery was a duplicate and got the first answer again. */
  readonly isDuplicate: boolean;
  readonly answer: Json;
}

export interface DeliveryOptions {
  readonly headers?: { readonly [name: string]: string };
  /** Another secret than the hook's, to simulate an unauthorized sender. */
  readonly secret?: string;
}

/** The parts of the test's host that a delivery needs; keeps the host out of the package's types. */
interface Receiver {
  readonly now: () => number;
  /** Base URL of the hook server. */
  readonly address: () => Promise<string>;
  /** Advances the clock, so that deliveries have an order. */
  readonly later: () => Promise<void>;
  readonly settled: () => Promise<void>;
}

export class TestHook {
  readonly #receiver: Receiver;
  readonly #path: string;
  readonly #authKind: HookAuthKind;
  readonly #secret: string;

  constructor(receiver: Receiver, hook: { path: string; auth: HookAuth }, secret: string) {
    this.#receiver = receiver;
    this.#path = hook.path;
    this.#authKind = hook.auth.kind;
    this.#secret = secret;
  }

  /** Sends `body` as JSON, or a string unchanged, then waits until all work is done. */
  async deliver(body: unknown, options: DeliveryOptions = {}): Promise<DeliveryResult> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const secret = options.secret ?? this.#secret;
    await this.#receiver.later();
    const response = await fetch((await this.#receiver.address()) + this.#path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...this.#proof(text, secret),
        ...options.headers,
      },
      body: text,
    });
    const answer = (await response.json()) as { readonly id?: string } & { [name: string]: Json };
    await this.#receiver.settled();
    return {
      status: response.status,
      inputId: response.status === 202 ? (answer.id ?? null) : null,
      isDuplicate: response.headers.has('holdfast-duplicate'),
      answer,
    };
  }

  #proof(text: string, secret: string): { [name: string]: string } {
    const sign = (signed: string): string =>
      createHmac('sha256', secret).update(signed).digest('hex');
    switch (this.#authKind) {
      case 'github':
        return { 'x-hub-signature-256': `sha256=${sign(text)}` };
      case 'stripe': {
        const at = Math.floor(this.#receiver.now() / 1000);
        return { 'stripe-signature': `t=${at},v1=${sign(`${at}.${text}`)}` };
      }
      default:
        return { authorization: `Bearer ${secret}` };
    }
  }
}
