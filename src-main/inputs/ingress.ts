// A webhook becomes an input: verified, known by its key, and written with its run and its first
// piece of work in one transaction that is on disk before the answer. No session, no call outside,
// and nothing at all is written for what is refused.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { inputFlaw } from '#main/boundary/input-flaw.ts';
import type { CommitQueue } from '#main/engine/commit-queue.ts';
import type { AutomationRuns } from '#main/inputs/automation-runs.ts';
import { dedupKeyOf } from '#main/inputs/dedup-key.ts';
import { describeDelivery } from '#main/inputs/describe-delivery.ts';
import type { HookSecrets } from '#main/inputs/hook-secrets.ts';
import type { RateLimiter } from '#main/inputs/rate-limit.ts';
import { verifySignature, type SignatureCheck } from '#main/inputs/signature.ts';
import { correlationIdFrom } from '#main/observe/correlation.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { Hook, HookStore } from '#main/store/hooks.ts';
import { isDiskFull } from '#main/store/database.ts';
import type { Clock } from '#shared/clock.ts';
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
  readonly runs: AutomationRuns;
  readonly commits: CommitQueue;
  readonly secrets: HookSecrets;
  readonly masker: Masker;
  readonly limiter: RateLimiter;
  readonly clock: Pick<Clock, 'now'>;
  /** Told of every answer: the counter is all that a refused one leaves. */
  readonly onAnswer: (status: number) => void;
  /** Told of the durable step, before and after: where the crash tests pull the plug. */
  readonly probe: (point: string) => void;
}

export interface Delivery {
  readonly rawBody: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** So many at once and what came in before may wait a little. */
const PRESSED = 4;

export class Ingress {
  readonly #options: IngressOptions;
  #atDoor = 0;

  constructor(options: IngressOptions) {
    this.#options = options;
  }

  /** Before the body is read: null, or why it need not be. */
  knock(hookId: string): IngressAnswer | null {
    const hook = this.#options.hooks.get(hookId);
    if (!hook) return this.#tell(unknownHook());
    const taken = this.#options.limiter.take(hookId);
    return taken.ok ? null : this.#tell(tooFast(taken.retryAfterS));
  }

  tooLarge(): IngressAnswer {
    return this.#tell(
      refusal(
        413,
        'too_large',
        `The body has more than the ${MAX_PAYLOAD_BYTES} bytes that an input may have. Nothing was taken in.`,
      ),
    );
  }

  /** Many wait for their answer: taking in goes before everything that can wait. */
  get isPressed(): boolean {
    return this.#atDoor >= PRESSED;
  }

  async deliver(hookId: string, delivery: Delivery): Promise<IngressAnswer> {
    this.#atDoor += 1;
    try {
      return this.#tell(await this.#deliver(hookId, delivery));
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return this.#tell(
        refusal(
          507,
          'storage_full',
          'The disk is full. Nothing was taken in. Send it again later.',
        ),
      );
    } finally {
      this.#atDoor -= 1;
    }
  }

  async #deliver(hookId: string, delivery: Delivery): Promise<IngressAnswer> {
    const { hooks, commits, probe } = this.#options;
    const hook = hooks.get(hookId);
    if (!hook) return unknownHook();
    const verified = await this.#verify(hook, delivery);
    if (!verified.ok) return refusal(401, verified.name, verified.message);
    const parsed = parseBody(delivery.rawBody);
    if (!parsed.ok) return refusal(400, 'invalid_body', parsed.message);
    const key = dedupKeyOf(hook.dedup, { ...delivery, json: parsed.value });
    if (!key.ok) return refusal(400, 'no_dedup_key', key.message);
    // On disk before the answer: who sent it forgets it with the 202.
    probe('ingress:before');
    const answer = await commits.commitDurably(() =>
      this.#take(hookId, delivery, parsed.value, key.key),
    );
    probe('ingress:after');
    return answer;
  }

  /** Every secret is tried, so that the time tells nothing of which one it was. */
  async #verify(hook: Hook, delivery: Delivery): Promise<SignatureCheck> {
    const now = this.#options.clock.now();
    const secrets = await this.#options.secrets.of(hook, now);
    const checks = (secrets.length === 0 ? [''] : secrets).map((secret) =>
      verifySignature(hook.auth, delivery, secret, now),
    );
    return checks.find(({ ok }) => ok) ?? (checks[0] as SignatureCheck);
  }

  /** The transaction. */
  #take(hookId: string, { rawBody, headers }: Delivery, body: Json, key: string): IngressAnswer {
    const { hooks, runs, masker } = this.#options;
    const hook = hooks.get(hookId);
    if (!hook) return unknownHook();
    const { workflowId, topic, redactPaths } = hook;
    const id = inputId(workflowId, hook.id, key);
    const first = firstOfProof(hooks, hook, rawBody, id);
    if (first !== id) return replayed(first);
    const sha256 = createHash('sha256').update(rawBody).digest('hex');
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
    );
    if (isNew) hooks.count(hook.id);
    return accepted(made, isNew);
  }

  #tell(answer: IngressAnswer): IngressAnswer {
    this.#options.onAnswer(answer.status);
    return answer;
  }
}

/**
 * A header is not signed: the same signed bytes under another delivery id are a replay. Where the key
 * is part of what is signed, a replay has the same key, and is a duplicate.
 */
function firstOfProof(hooks: HookStore, hook: Hook, rawBody: Buffer, id: string): string {
  if (hook.dedup.by !== 'header' || hook.auth.kind === 'bearer') return id;
  const proof = createHash('sha256').update(rawBody).digest('hex');
  return hooks.inputOfProof(hook.id, proof, id);
}

function parseBody(
  rawBody: Buffer,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string } {
  if (!isUtf8(rawBody))
    return { ok: false, message: 'The body is not UTF-8. Nothing was taken in.' };
  const text = rawBody.toString('utf8');
  try {
    const value = JSON.parse(text) as Json;
    const flaw = inputFlaw(value);
    if (flaw === null) return { ok: true, value };
    return { ok: false, message: `The body ${flaw}. Nothing was taken in.` };
  } catch {
    const { position, line, column } = jsonFlaw(text);
    return {
      ok: false,
      message: `The body is not JSON: at position ${position} (line ${line}, column ${column}). Nothing was taken in.`,
    };
  }
}

/** The same for a duplicate as for the first, in every byte of the body. */
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
    'There is no hook at this address. Nothing was taken in. See which there are with "holdfast hook list".',
  );
}

function tooFast(retryAfterS: number): IngressAnswer {
  return {
    ...refusal(
      429,
      'too_many',
      `This hook is called too often. Nothing was taken in. Send it again in ${retryAfterS} s.`,
    ),
    headers: { 'Retry-After': String(retryAfterS) },
  };
}

function replayed(first: string): IngressAnswer {
  const message =
    'These very bytes, with this very signature, came in before under another key. Nothing was taken in again.';
  return { status: 409, body: { error: { type: 'replay', message }, id: first } };
}

export function refusal(status: number, type: string, message: string): IngressAnswer {
  return { status, body: { error: { type, message } } };
}
