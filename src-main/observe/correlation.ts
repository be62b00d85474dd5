// One id from what came in to what was done about it. It stands in rows (the input, and `caused_by`
// on every run under it), not in the memory of a call: so it is the same after a crash, on a retry
// and on another device. These are the fields by which log lines and spans are found again.
import type { IncomingHttpHeaders } from 'node:http';
import { MAX_ID_LENGTH } from '#shared/limits.ts';

export interface CorrelationFields {
  readonly run_id: string;
  readonly session_id: string | null;
  readonly trigger_event_id: string | null;
  readonly correlation_id: string;
  readonly space: string;
}

export interface CorrelationSources {
  readonly run: (
    runId: string,
  ) => { readonly scriptRunId: string; readonly causedBy: string | null } | undefined;
  /** What the sender of the input called it, where it did. */
  readonly correlationIdOf?: ((triggerEventId: string) => string | undefined) | undefined;
  readonly spaceId: () => string;
}

/** Without an input the run is its own cause. */
export function correlationFields(sources: CorrelationSources, runId: string): CorrelationFields {
  const run = sources.run(runId);
  const input = run?.causedBy ?? null;
  const given = input === null ? undefined : sources.correlationIdOf?.(input);
  return {
    run_id: runId,
    session_id: run?.scriptRunId ?? null,
    trigger_event_id: input,
    correlation_id: given ?? input ?? runId,
    space: sources.spaceId(),
  };
}

/** The id that a sender gave: its own header, or the trace that it is part of (W3C). */
export function correlationIdFrom(headers: IncomingHttpHeaders): string | undefined {
  for (const name of ['x-correlation-id', 'x-request-id']) {
    const text = String(headers[name] ?? '').trim();
    // It goes into logs: visible characters only, and no more than an id needs.
    if (text.length <= MAX_ID_LENGTH && /^[\x21-\x7e]+$/.test(text)) return text;
  }
  return /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(
    String(headers['traceparent'] ?? ''),
  )?.[1];
}
