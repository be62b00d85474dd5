// `Idempotency-Key`: a repeated request gets the stored reply, and nothing is done twice. Order: the
// key is on disk, then the call runs, then the reply is stored. A crash in between leaves a key with
// status `begun`. The outcome is then reported as unknown, unless the call is repeatable
// (repeatable-calls.ts).
import type { Logger } from 'pino';
import { createReplyCipher, type ReplyCipher } from '#main/api/transport/reply-cipher.ts';
import { storageProblem } from '#main/api/dispatch.ts';
import { isAnswerStored, isRepeatable } from '#main/api/transport/repeatable-calls.ts';
import type { IdempotencyKeyStore } from '#main/store/tables/idempotency-keys.ts';
import type { ApiErrorBody, ApiErrorType, ApiResult } from '#shared/api/errors.ts';
import type { Clock } from '#shared/clock.ts';
import {
  IDEMPOTENCY_KEPT_MS,
  IDEMPOTENCY_SWEEP_MS,
  IDEMPOTENCY_UNKNOWN_KEPT_MS,
  IDEMPOTENCY_WAIT_MS,
  MAX_IDEMPOTENCY_KEY_LENGTH,
} from '#shared/limits.ts';

export interface IdempotencyOptions {
  readonly store: IdempotencyKeyStore;
  readonly clock: Clock;
  /** Encrypts stored replies; must not be in the database. */
  readonly secret: string;
  readonly log: Logger;
}

export interface KeyedRequest {
  readonly key: string;
  readonly call: string;
  /** The exact text that was sent; any difference is another body. */
  readonly body: string;
  readonly input: unknown;
}

export interface KeyedReply {
  readonly result: ApiResult<unknown>;
  /** The reply belongs to an earlier request. */
  readonly isReplay: boolean;
}

type MakeCall = () => Promise<ApiResult<unknown>>;

/** Nothing was done and a retry may succeed, so the key is released. */
const TRANSIENT: readonly ApiErrorType[] = ['busy', 'storage_full', 'too_many'];

export class IdempotencyKeys {
  readonly #options: IdempotencyOptions;
  readonly #cipher: ReplyCipher;
  /** Requests in progress, and replies that could not be stored. */
  readonly #inProgress = new Map<
    string,
    { readonly hash: string; readonly reply: Promise<ApiResult<unknown>> }
  >();
  #sweptAt = 0;

  constructor(options: IdempotencyOptions) {
    this.#options = options;
    this.#cipher = createReplyCipher(options.secret);
  }

  async answer(request: KeyedRequest, makeCall: MakeCall): Promise<KeyedReply> {
    const { key } = request;
    if (key.length > MAX_IDEMPOTENCY_KEY_LENGTH || !/^[\x21-\x7e]+$/.test(key)) {
      return firstReply({ ok: false, error: BAD_KEY });
    }
    const hash = this.#cipher.hash(JSON.stringify([request.call, request.body]));
    const inProgress = this.#inProgress.get(key);
    if (inProgress) {
      if (inProgress.hash !== hash) return conflict(REUSED);
      return this.#wait(inProgress.reply);
    }
    // No await between here and the entry in `#inProgress`, so two equal requests cannot both pass.
    const stored = this.#options.store.get(key);
    if (stored && stored.bodyHash !== hash) return conflict(REUSED);
    if (stored?.answer) return this.#replay(stored.answer);
    if (stored && !isRepeatable(request.call, request.input)) return conflict(UNKNOWN);
    return firstReply(await this.#execute(request, hash, stored !== undefined, makeCall));
  }

  #execute(
    { key, call }: KeyedRequest,
    hash: string,
    isBegun: boolean,
    makeCall: MakeCall,
  ): Promise<ApiResult<unknown>> {
    const run = async (): Promise<ApiResult<unknown>> => {
      const problem = isBegun ? null : await this.#begin(key, call, hash);
      const result: ApiResult<unknown> = problem ? { ok: false, error: problem } : await makeCall();
      if (problem || this.#storeReply(key, call, result)) this.#inProgress.delete(key);
      return result;
    };
    const reply = run();
    this.#inProgress.set(key, { hash, reply });
    // A throw is a broken invariant: the key stays `begun` and the outcome unknown.
    reply.catch(() => this.#inProgress.delete(key));
    return reply;
  }

  /** Returns an error if the key could not be stored; the call is then not made. */
  async #begin(key: string, call: string, hash: string): Promise<ApiErrorBody | null> {
    const { store } = this.#options;
    try {
      this.#sweep();
      await store.begin(key, call, hash);
      return null;
    } catch (error) {
      const problem = storageProblem(error);
      if (!problem) throw error;
      return problem;
    }
  }

  /** False if the reply could not be stored; it then stays in memory while this process runs. */
  #storeReply(key: string, call: string, result: ApiResult<unknown>): boolean {
    const { store, log } = this.#options;
    try {
      const isTransient = !result.ok && TRANSIENT.includes(result.error.type);
      if (isTransient || !isAnswerStored(call)) store.release(key);
      else store.answer(key, this.#cipher.encrypt(JSON.stringify(result)));
      return true;
    } catch (error) {
      log.error({ err: error }, 'could not store the reply to a request with an Idempotency-Key');
      return false;
    }
  }

  #replay(encrypted: Uint8Array): KeyedReply {
    const text = this.#cipher.decrypt(encrypted);
    if (text === undefined) return conflict(UNREADABLE);
    return { result: JSON.parse(text) as ApiResult<unknown>, isReplay: true };
  }

  #wait(reply: Promise<ApiResult<unknown>>): Promise<KeyedReply> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const cancelTimeout = clock.wakeAt(clock.now() + IDEMPOTENCY_WAIT_MS, () =>
        resolve(conflict(IN_PROGRESS)),
      );
      reply
        .then((result) => resolve({ result, isReplay: true }), reject)
        .finally(cancelTimeout)
        .catch(reject);
    });
  }

  #sweep(): void {
    const { store, clock } = this.#options;
    const now = clock.now();
    if (now - this.#sweptAt < IDEMPOTENCY_SWEEP_MS) return;
    this.#sweptAt = now;
    store.forget('answered', now - IDEMPOTENCY_KEPT_MS);
    store.forget('begun', now - IDEMPOTENCY_UNKNOWN_KEPT_MS);
  }
}

const BAD_KEY: ApiErrorBody = {
  type: 'invalid_input',
  message: `The Idempotency-Key is invalid: it must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters. Nothing was changed.`,
  reason: 'idempotency_key_invalid',
};
const REUSED: ApiErrorBody = {
  type: 'conflict',
  message:
    'This Idempotency-Key was used with another call or body. Nothing was changed. Send the first request again, or use a new key.',
  reason: 'idempotency_key_reused',
};
const IN_PROGRESS: ApiErrorBody = {
  type: 'conflict',
  message:
    'The first request with this Idempotency-Key is still in progress. Nothing else was started. Try again with the same key.',
  reason: 'in_progress',
};
const UNKNOWN: ApiErrorBody = {
  type: 'conflict',
  message:
    'The host stopped during the first request with this Idempotency-Key, so its outcome is unknown. Nothing was changed now. Check whether it went through. If not, use a new key.',
  reason: 'outcome_unknown',
};
const UNREADABLE: ApiErrorBody = {
  type: 'conflict',
  message:
    'The reply to this Idempotency-Key can no longer be decrypted, because the API token was replaced. The first request was completed, and nothing was changed now. Check its result with another call.',
  reason: 'answer_unreadable',
};

function firstReply(result: ApiResult<unknown>): KeyedReply {
  return { result, isReplay: false };
}

function conflict(error: ApiErrorBody): KeyedReply {
  return firstReply({ ok: false, error });
}
