// Rate limit per hook: token buckets in memory. After a restart every bucket is full, which allows
// one extra burst.
import type { Clock } from '#shared/clock.ts';
import { HOOK_BURST, HOOK_RATE_PER_S, MAX_RATED_HOOKS } from '#shared/limits.ts';

interface Bucket {
  tokens: number;
  at: number;
}

export type Taken =
  | { readonly ok: true }
  /** In whole seconds, for the `Retry-After` header. */
  | { readonly ok: false; readonly retryAfterS: number };

export interface RateLimits {
  readonly burst: number;
  readonly perSecond: number;
  readonly maxHooks: number;
}

const DEFAULTS: RateLimits = {
  burst: HOOK_BURST,
  perSecond: HOOK_RATE_PER_S,
  maxHooks: MAX_RATED_HOOKS,
};

export class RateLimiter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: RateLimits;
  /** Least recently used first: `take` reinserts the key at the end. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, 'now'>, limits: Partial<RateLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULTS, ...limits };
  }

  take(hookId: string): Taken {
    const bucket = this.#filled(hookId);
    this.#buckets.delete(hookId);
    this.#buckets.set(hookId, bucket);
    this.#evictOldest();
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return { ok: true };
    }
    const waitS = (1 - bucket.tokens) / this.#limits.perSecond;
    return { ok: false, retryAfterS: Math.max(1, Math.ceil(waitS)) };
  }

  get size(): number {
    return this.#buckets.size;
  }

  #filled(hookId: string): Bucket {
    const { burst, perSecond } = this.#limits;
    const now = this.#clock.now();
    const known = this.#buckets.get(hookId);
    if (!known) return { tokens: burst, at: now };
    // A clock that was set back neither adds nor removes tokens.
    const elapsedS = Math.max(0, now - known.at) / 1000;
    return { tokens: Math.min(burst, known.tokens + elapsedS * perSecond), at: now };
  }

  #evictOldest(): void {
    if (this.#buckets.size <= this.#limits.maxHooks) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
