// `Idempotency-Key`: whoever sends the same request again, with the same key, gets the answer to the
// first, and nothing is done twice. The order: the key is on disk, then the call, then its answer.
// A crash in between leaves a key that was begun; what became of the call is then unknown, and is
// said to be, unless the call is one that may be made again (repeatable.ts).
import type { Logger } from 'pino';
import { createAnswerSeal, type AnswerSeal } from '#main/api/answer-seal.ts';
import { storageProblem } from '#main/api/dispatch.ts';
import { isRepeatable } from '#main/api/repeatable.ts';
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
  /** Not in the database: what is kept there is sealed with it. */
  readonly secret: string;
  readonly log: Logger;
}

export interface KeyedRequest {
  readonly key: string;
  readonly call: string;
  /** As it was sent: another text is another body. */
  readonly body: string;
  readonly input: unknown;
}

export interface KeyedAnswer {
  readonly result: ApiResult<unknown>;
  /** It is the answer to an earlier request. */
  readonly isReplay: boolean;
}

type Act = () => Promise<ApiResult<unknown>>;

/** Nothing was done, and it may go well the next time: the key is free again. */
const TRANSIENT: readonly ApiErrorType[] = ['busy', 'storage_full', 'too_many'];

export class IdempotencyKeys {
  readonly #options: IdempotencyOptions;
  readonly #seal: AnswerSeal;
  /** At work in this process; also answers that could not be written down. */
  readonly #atWork = new Map<
    string,
    { readonly hash: string; readonly answer: Promise<ApiResult<unknown>> }
  >();
  #sweptAt = 0;

  constructor(options: IdempotencyOptions) {
    this.#options = options;
    this.#seal = createAnswerSeal(options.secret);
  }

  async answer(request: KeyedRequest, act: Act): Promise<KeyedAnswer> {
    const { key } = request;
    if (key.length > MAX_IDEMPOTENCY_KEY_LENGTH || !/^[\x21-\x7e]+$/.test(key)) {
      return first({ ok: false, error: BAD_KEY });
    }
    const hash = this.#seal.hash(JSON.stringify([request.call, request.body]));
    const atWork = this.#atWork.get(key);
    if (atWork) {
      if (atWork.hash !== hash) return conflict(REUSED);
      return this.#wait(atWork.answer);
    }
    // From here to the entry in `atWork` nothing is waited for: two equal requests cannot both pass.
    const kept = this.#options.store.get(key);
    if (kept && kept.bodyHash !== hash) return conflict(REUSED);
    if (kept?.answer) return this.#replay(kept.answer);
    if (kept && !isRepeatable(request.call, request.input)) return conflict(UNKNOWN);
    return first(await this.#work(request, hash, kept !== undefined, act));
  }

  #work(
    { key, call }: KeyedRequest,
    hash: string,
    isBegun: boolean,
    act: Act,
  ): Promise<ApiResult<unknown>> {
    const run = async (): Promise<ApiResult<unknown>> => {
      const problem = isBegun ? null : await this.#begin(key, call, hash);
      const result: ApiResult<unknown> = problem ? { ok: false, error: problem } : await act();
      if (problem || this.#keep(key, result)) this.#atWork.delete(key);
      return result;
    };
    const answer = run();
    this.#atWork.set(key, { hash, answer });
    // What throws is a broken invariant: the key stays begun, and its outcome unknown.
    answer.catch(() => this.#atWork.delete(key));
    return answer;
  }

  /** Why it could not be begun; then nothing is done, and the key is free. */
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

  /** False: it could not be written down. It is then remembered as long as this process lives. */
  #keep(key: string, result: ApiResult<unknown>): boolean {
    const { store, log } = this.#options;
    try {
      if (!result.ok && TRANSIENT.includes(result.error.type)) store.release(key);
      else store.answer(key, this.#seal.seal(JSON.stringify(result)));
      return true;
    } catch (error) {
      log.error({ err: error }, 'the answer to a request with a key could not be kept');
      return false;
    }
  }

  #replay(sealed: Uint8Array): KeyedAnswer {
    const text = this.#seal.open(sealed);
    if (text === undefined) return conflict(UNREADABLE);
    return { result: JSON.parse(text) as ApiResult<unknown>, isReplay: true };
  }

  #wait(answer: Promise<ApiResult<unknown>>): Promise<KeyedAnswer> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const callOff = clock.wakeAt(clock.now() + IDEMPOTENCY_WAIT_MS, () =>
        resolve(conflict(IN_PROGRESS)),
      );
      answer
        .then((result) => resolve({ result, isReplay: true }), reject)
        .finally(callOff)
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
  message: `An Idempotency-Key has 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters. Nothing was done.`,
  reason: 'idempotency_key_invalid',
};
const REUSED: ApiErrorBody = {
  type: 'conflict',
  message:
    'This Idempotency-Key came before with another call or another body. Nothing was done now. Send the first one again, or take a new key.',
  reason: 'idempotency_key_reused',
};
const IN_PROGRESS: ApiErrorBody = {
  type: 'conflict',
  message:
    'The first request with this Idempotency-Key is still in progress. Nothing was done now. Ask again with the same key.',
  reason: 'in_progress',
};
const UNKNOWN: ApiErrorBody = {
  type: 'conflict',
  message:
    'The host stopped while it worked on the first request with this Idempotency-Key: what became of it is unknown. Nothing was done now. Look whether it happened; if it did not, ask with a new key.',
  reason: 'outcome_unknown',
};
const UNREADABLE: ApiErrorBody = {
  type: 'conflict',
  message:
    'The request with this Idempotency-Key was answered before, but its answer can no longer be read, since the token of the host was changed. Nothing was done now. Look at what it made.',
  reason: 'answer_unreadable',
};

function first(result: ApiResult<unknown>): KeyedAnswer {
  return { result, isReplay: false };
}

function conflict(error: ApiErrorBody): KeyedAnswer {
  return first({ ok: false, error });
}
