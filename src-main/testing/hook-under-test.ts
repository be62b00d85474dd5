// A door for webhooks in a test: who sends to it signs as the hook wants it, over real HTTP, and gets
// the real answer.
import { createHmac } from 'node:crypto';
import type { HookAuth } from '#shared/inputs/hook.ts';
import type { Json } from '#shared/json.ts';

/** How a sender proves who it is; `bearer` where nothing is said. */
export type Signs = HookAuth['kind'];

export interface Delivered {
  /** Of the answer: 202 taken in, 401 not signed, 409 a replay … */
  readonly status: number;
  /** The input that it became, or had become before; null where it was refused. */
  readonly inputId: string | null;
  /** It came before: the first answer again, and nothing was taken in. */
  readonly isDuplicate: boolean;
  readonly answer: Json;
}

export interface DeliveryOptions {
  readonly headers?: { readonly [name: string]: string };
  /** In the place of the hook's own: a sender that does not know it. */
  readonly secret?: string;
}

/** Of the host of a test what a sender needs; the types of the package would have all of it else. */
interface Receiver {
  readonly now: () => number;
  /** Where webhooks are taken in. */
  readonly address: () => Promise<string>;
  /** A moment later: of the same instant deliveries would have no order. */
  readonly later: () => Promise<void>;
  readonly settled: () => Promise<void>;
}

export class HookUnderTest {
  readonly #receiver: Receiver;
  readonly #path: string;
  readonly #signs: Signs;
  readonly #secret: string;

  constructor(receiver: Receiver, hook: { path: string; auth: HookAuth }, secret: string) {
    this.#receiver = receiver;
    this.#path = hook.path;
    this.#signs = hook.auth.kind;
    this.#secret = secret;
  }

  /** A delivery, `body` as JSON or as the very text; then lets everything be done. */
  async deliver(body: unknown, options: DeliveryOptions = {}): Promise<Delivered> {
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
    switch (this.#signs) {
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
