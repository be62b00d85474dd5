// Sends spans to an OpenTelemetry collector: OTLP over HTTP as JSON. Not the SDK, which brings dozens
// of packages for one POST. Loaded only if an endpoint is configured. A slow or failing collector
// never delays or fails the traced work.
import type { Logger } from 'pino';
import type { Span } from '#main/observe/span.ts';
import type { TraceConfig } from '#main/observe/trace-config.ts';
import { backoffDelay } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { TRACE_BATCH, TRACE_FLUSH_MS, TRACE_MAX_QUEUED, TRACE_TIMEOUT_MS } from '#shared/limits.ts';

/** Status codes worth a retry; any other error drops the batch. */
const RETRYABLE = [429, 502, 503, 504];
const MAX_WAIT_MS = 60_000;

export interface ExporterOptions {
  readonly config: TraceConfig;
  readonly version: string;
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export class SpanExporter {
  readonly #options: ExporterOptions;
  #queue: Span[] = [];
  #failures = 0;
  #isClosed = false;
  #sending: Promise<void> | null = null;
  #cancelTimer: (() => void) | null = null;
  /** Number of spans that were not delivered. */
  dropped = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#isClosed) return;
    this.#queue.push(span);
    if (this.#queue.length > TRACE_MAX_QUEUED) {
      this.#queue.shift();
      this.dropped += 1;
    }
    if (this.#queue.length >= TRACE_BATCH && this.#failures === 0) void this.flush();
    else this.#flushLater();
  }

  /** Sends the queue once; a batch that failed with a retryable error stays queued. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
      if (this.#queue.length > 0 && !this.#isClosed) this.#flushLater();
    });
    return this.#sending;
  }

  /** Sends what is queued a last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#sending;
    await this.#send();
  }

  #flushLater(): void {
    if (this.#cancelTimer || this.#sending) return;
    const { clock } = this.#options;
    const backoff = { baseMs: TRACE_FLUSH_MS, maxMs: MAX_WAIT_MS };
    const wait = this.#failures === 0 ? TRACE_FLUSH_MS : backoffDelay(this.#failures, backoff, 1);
    this.#cancelTimer = clock.wakeAt(clock.now() + wait, () => {
      this.#cancelTimer = null;
      void this.flush();
    });
  }

  async #send(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, TRACE_BATCH);
      const problem = await this.#post(batch);
      if (problem === null) {
        this.#failures = 0;
        continue;
      }
      this.#failures += 1;
      this.#logFirstFailure(problem.why);
      if (problem.isFinal) this.dropped += batch.length;
      else this.#putBack(batch);
      return;
    }
  }

  /** Drops the oldest spans if the queue is full. */
  #putBack(batch: readonly Span[]): void {
    const all = [...batch, ...this.#queue];
    this.dropped += Math.max(0, all.length - TRACE_MAX_QUEUED);
    this.#queue = all.slice(-TRACE_MAX_QUEUED);
  }

  async #post(
    batch: readonly Span[],
  ): Promise<{ readonly why: string; readonly isFinal: boolean } | null> {
    const { url, headers } = this.#options.config;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(this.#request(batch)),
        redirect: 'error',
        signal: AbortSignal.timeout(TRACE_TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (response.ok) return null;
      const why = `status ${response.status}`;
      return { why, isFinal: !RETRYABLE.includes(response.status) };
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error), isFinal: false };
    }
  }

  /** Logs the first failure only, not each retry. */
  #logFirstFailure(why: string): void {
    if (this.#failures !== 1) return;
    this.#options.log.warn({ why }, 'could not send spans to the trace collector');
  }

  #request(spans: readonly Span[]): unknown {
    const { config, version, instanceId } = this.#options;
    const resource = {
      'service.name': config.serviceName,
      'service.version': version,
      'service.instance.id': instanceId,
    };
    return {
      resourceSpans: [
        {
          resource: { attributes: toAttributes(resource) },
          scopeSpans: [{ scope: { name: 'holdfast', version }, spans: spans.map(toOtlp) }],
        },
      ],
    };
  }
}

const INTERNAL = 1;
const OK = 1;
const ERROR = 2;

function toOtlp(span: Span): unknown {
  const { traceId, spanId, parentSpanId, name, startedAt, ms, isOk, attributes } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(startedAt + ms),
    attributes: toAttributes(attributes),
    status: { code: isOk ? OK : ERROR },
  };
}

/** As text, because the value exceeds the safe integer range. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function toAttributes(attributes: Span['attributes']): unknown[] {
  return Object.entries(attributes).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    if (typeof value === 'boolean') return { key, value: { boolValue: value } };
    return Number.isSafeInteger(value)
      ? { key, value: { intValue: String(value) } }
      : { key, value: { doubleValue: value } };
  });
}
