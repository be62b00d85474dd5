// Sends spans to a collector of OpenTelemetry: OTLP over HTTP as JSON. Our own, since the SDK brings
// dozens of packages for one POST. Loaded only where an endpoint is configured. Whatever the
// collector does, nothing here holds up or fails the work that is traced.
import type { Logger } from 'pino';
import type { Span } from '#main/observe/span.ts';
import type { TraceConfig } from '#main/observe/trace-config.ts';
import { backoffDelay } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { TRACE_BATCH, TRACE_FLUSH_MS, TRACE_MAX_QUEUED, TRACE_TIMEOUT_MS } from '#shared/limits.ts';

/** The collector may have it another time; any other refusal is final. */
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
  #callOff: (() => void) | null = null;
  /** Spans that no collector got. */
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

  /** Sends what is there, once; what the collector could not take stays for the next time. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
      if (this.#queue.length > 0 && !this.#isClosed) this.#flushLater();
    });
    return this.#sending;
  }

  /** One last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callOff?.();
    await this.#sending;
    await this.#send();
  }

  #flushLater(): void {
    if (this.#callOff || this.#sending) return;
    const { clock } = this.#options;
    const backoff = { baseMs: TRACE_FLUSH_MS, maxMs: MAX_WAIT_MS };
    const wait = this.#failures === 0 ? TRACE_FLUSH_MS : backoffDelay(this.#failures, backoff, 1);
    this.#callOff = clock.wakeAt(clock.now() + wait, () => {
      this.#callOff = null;
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
      this.#tell(problem.why);
      if (problem.isFinal) this.dropped += batch.length;
      else this.#putBack(batch);
      return;
    }
  }

  /** The newest are kept where there is no room for all. */
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
      const why = `it answered ${response.status}`;
      return { why, isFinal: !RETRYABLE.includes(response.status) };
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error), isFinal: false };
    }
  }

  /** Once when it goes wrong, not with every try. */
  #tell(why: string): void {
    if (this.#failures !== 1) return;
    this.#options.log.warn({ why }, 'the trace collector does not take spans');
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

/** As text: more than a number can hold. */
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
