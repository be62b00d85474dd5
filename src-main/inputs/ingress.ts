// Turns a webhook into an input: verifies it, computes its dedup key, and writes input, run and first
// outbox row in one transaction that is on disk before the answer. Ingress opens no session and calls
// nothing outside. A refused webhook writes nothing.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { inputFlaw } from '#main/boundary/json-validity.ts';
import type { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import { dedupKeyOf } from '#main/inputs/dedup-key.ts';
import { describeDelivery } from '#main/inputs/describe-delivery.ts';
import type { HookSecrets } from '#main/inputs/hook-secrets.ts';
import type { RateLimiter } from '#main/inputs/rate-limit.ts';
import { verifySignature, type SignatureCheck } from '#main/inputs/signature.ts';
import { correlationIdFrom } from '#main/observe/correlation.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { Hook, HookStore } from '#main/store/tables/hooks.ts';
import { isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import type { Clock } from '#shared/clock.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { automationRunId, inputId } from '#shared/ids.ts';
import { jsonFlaw } from '#shared/inputs/json-flaw.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';

export interface IngressAnswer {
  readonly status: number;
  readonly body: Json;
  readonly headers?: { readonly [name: string]: string };
}

export interface IngressOptions {
  readonly hooks: HookStore;
  readonly runs: InputLifecycle;
  readonly commits: CommitQueue;
  readonly secrets: HookSecrets;
  readonly masker: Masker;
  readonly limiter: RateLimiter;
  readonly clock: Pick<Clock, 'now'>;
  /** Resolves when raw payloads can be sealed. */
  readonly readyToSeal: () => Promise<void>;
  /** Called with every answer; this counter is the only trace of a refused webhook. */
  readonly onAnswer: (status: number) => void;
  /** Called before and after the durable step; the crash tests kill the process here. */
  readonly probe: (point: string) => void;
}

export type Admission =
  | { readonly ok: true; readonly hook: Hook }
  | { readonly ok: false; readonly answer: IngressAnswer };

export interface Delivery {
  readonly rawBody: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** With this many webhooks waiting for an answer, the stages of earlier inputs slow down. */
const BUSY_DELIVERIES = 4;

/** The hook was removed after its webhook was verified. Rolls the transaction back. */
class HookRemoved extends Error {}

export class Ingress {
  readonly #options: IngressOptions;
  #deliveries = 0;

  constructor(options: IngressOptions) {
    this.#options = options;
  }

  /** Before the body is read: the hook, or the answer where the body need not be read. */
  admit(hookId: string): Admission {
    const hook = this.#options.hooks.get(hookId);
    if (!hook) return { ok: false, answer: this.#count(unknownHook()) };
    const taken = this.#options.limiter.take(hookId);
    if (taken.ok) return { ok: true, hook };
    return { ok: false, answer: this.#count(tooFast(taken.retryAfterS)) };
  }

  tooLarge(): IngressAnswer {
    return this.#count(
      refusal(
        413,
        'too_large',
        `The body is larger than ${MAX_PAYLOAD_BYTES} bytes, the limit for an input. Nothing was saved. Send a smaller body.`,
      ),
    );
  }

  /** Many senders wait for an answer: ingress goes before the stages. */
  get isBusy(): boolean {
    return this.#deliveries >= BUSY_DELIVERIES;
  }

  async deliver(hook: Hook, delivery: Delivery): Promise<IngressAnswer> {
    this.#deliveries += 1;
    try {
      return this.#count(await this.#deliver(hook, delivery));
    } catch (error) {
      if (error instanceof HookRemoved) return this.#count(unknownHook());
      if (!isDiskFull(error)) throw error;
      return this.#count(
        refusal(507, 'storage_full', 'The disk is full. Nothing was saved. Send it again later.'),
      );
    } finally {
      this.#deliveries -= 1;
    }
  }

  async #deliver(hook: Hook, delivery: Delivery): Promise<IngressAnswer> {
    const { commits, probe } = this.#options;
    const verified = await this.#verify(hook, delivery);
    if (!verified.ok) return this.#refuseOrRetry(hook, delivery, verified);
    const parsed = parseBody(delivery.rawBody);
    if (!parsed.ok) return refusal(400, 'invalid_body', parsed.message);
    const key = dedupKeyOf(hook.dedup, { ...delivery, json: parsed.value });
    if (!key.ok) return refusal(400, 'no_dedup_key', key.message);
    await this.#options.readyToSeal();
    // On disk before the answer: the sender drops its copy when it gets the 202.
    probe('ingress:before');
    const answer = await commits.commitDurably(() =>
      this.#save(hook, delivery, parsed.value, key.key),
    );
    probe('ingress:after');
    return answer;
  }

  /** The hook may have been rotated or removed while the body was read: then look again. */
  async #refuseOrRetry(
    read: Hook,
    delivery: Delivery,
    { name, message }: SignatureCheck & { readonly ok: false },
  ): Promise<IngressAnswer> {
    const hook = this.#options.hooks.get(read.id);
    if (!hook) return unknownHook();
    const isRotated = hook.rotatedAt !== read.rotatedAt;
    return isRotated ? this.#deliver(hook, delivery) : refusal(401, name, message);
  }

  /** Tries every secret, so that the time taken doesn't reveal which one matched. */
  async #verify(hook: Hook, delivery: Delivery): Promise<SignatureCheck> {
    const now = this.#options.clock.now();
    const secrets = await this.#options.secrets.of(hook, now);
    const checks = (secrets.length === 0 ? [''] : secrets).map((secret) =>
      verifySignature(hook.auth, delivery, secret, now),
    );
    return checks.find(({ ok }) => ok) ?? (checks[0] as SignatureCheck);
  }

  /** The transaction. */
  #save(hook: Hook, { rawBody, headers }: Delivery, body: Json, key: string): IngressAnswer {
    const { hooks, runs, masker } = this.#options;
    const { workflowId, topic, redactPaths } = hook;
    const id = inputId(workflowId, hook.id, key);
    const sha256 = createHash('sha256').update(rawBody).digest('hex');
    const first = isReplayable(hook) ? hooks.inputOfProof(hook.id, sha256, id) : id;
    if (first !== id) return replayed(first);
    const { isNew, inputId: made } = runs.register(
      {
        workflowId,
        kind: 'webhook',
        triggerId: hook.id,
        dedupKey: key,
        source: hook.name,
        ...describeDelivery(hook.name, headers, body, key),
        topic,
        redactPaths,
        correlationId: correlationIdFrom(headers),
        bytes: rawBody.length,
        sha256,
      },
      masker.maskJson(body),
      rawBody,
    );
    if (isNew && !hooks.count(hook.id)) throw new HookRemoved();
    return accepted(made, isNew);
  }

  #count(answer: IngressAnswer): IngressAnswer {
    this.#options.onAnswer(answer.status);
    return answer;
  }
}

/**
 * Headers aren't signed: the same signed body under another delivery id is a replay. Where the dedup
 * key is part of the signed body, a replay has the same key and is a duplicate.
 */
function isReplayable({ dedup, auth }: Hook): boolean {
  return dedup.by === 'header' && auth.kind !== 'bearer';
}

function parseBody(
  rawBody: Buffer,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string } {
  if (!isUtf8(rawBody))
    return { ok: false, message: 'The body is not UTF-8. Nothing was saved. Send it as UTF-8.' };
  const text = rawBody.toString('utf8');
  try {
    const value = parseExactJson(text);
    const flaw = inputFlaw(value);
    if (flaw === null) return { ok: true, value };
    return { ok: false, message: `The body ${flaw}. Nothing was saved.` };
  } catch {
    const { position, line, column } = jsonFlaw(text);
    return {
      ok: false,
      message: `The body is not valid JSON at position ${position} (line ${line}, column ${column}). Nothing was saved.`,
    };
  }
}

/** A duplicate gets the same body as the first, byte for byte. */
function accepted(id: string, isNew: boolean): IngressAnswer {
  return {
    status: 202,
    body: { id, run_id: automationRunId(id), status: 'accepted' },
    ...(isNew ? {} : { headers: { 'Holdfast-Duplicate': 'true' } }),
  };
}

function unknownHook(): IngressAnswer {
  return refusal(
    404,
    'unknown_hook',
    'There is no hook at this address. Nothing was saved. List the hooks with "holdfast hook list".',
  );
}

function tooFast(retryAfterS: number): IngressAnswer {
  return {
    ...refusal(
      429,
      'too_many',
      `This hook is over its rate limit. Nothing was saved. Send it again in ${retryAfterS} s.`,
    ),
    headers: { 'Retry-After': String(retryAfterS) },
  };
}

function replayed(first: string): IngressAnswer {
  const message =
    'The same signed body was received before under another key. Nothing was saved again.';
  return { status: 409, body: { error: { type: 'replay', message }, id: first } };
}

export function refusal(status: number, type: string, message: string): IngressAnswer {
  return { status, body: { error: { type, message } } };
}
