// Correlation fields of log lines and spans. The correlation id comes from rows (the input, and
// `caused_by` of every run under it), so it is the same after a crash, on a retry and on another
// device.
import type { IncomingHttpHeaders } from 'node:http';
import { automationRunId } from '#shared/ids.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';

export interface CorrelationFields {
  /** The automation run that a run serves; null for a run without an input. */
  readonly run_id: string | null;
  readonly handler_run_id: string;
  readonly session_id: string | null;
  readonly trigger_event_id: string | null;
  readonly organization_id: string;
  readonly correlation_id: string;
  /** The automation runs of its other inputs, if it serves several. */
  readonly other_run_ids?: readonly string[];
}

export interface CorrelationSources {
  readonly run: (
    runId: string,
  ) => { readonly scriptRunId: string; readonly causedBy: string | null } | undefined;
  /** Every input that the run serves. */
  readonly inputsOf: (runId: string) => readonly string[];
  /** The id that the sender of the input gave, if any. */
  readonly correlationIdOf?: ((triggerEventId: string) => string | undefined) | undefined;
  readonly spaceId: () => string;
}

/** A run without an input uses its own id. */
export function correlationFields(
  sources: CorrelationSources,
  runId: string,
  inputs = sources.inputsOf(runId),
): CorrelationFields {
  const run = sources.run(runId);
  const input = inputs[0] ?? run?.causedBy ?? null;
  const given = input === null ? undefined : sources.correlationIdOf?.(input);
  return {
    run_id: input === null ? null : automationRunId(input),
    handler_run_id: runId,
    session_id: run?.scriptRunId ?? null,
    trigger_event_id: input,
    organization_id: sources.spaceId(),
    correlation_id: given ?? input ?? runId,
    ...(inputs.length > 1 ? { other_run_ids: inputs.slice(1).map(automationRunId) } : {}),
  };
}

/** The sender's id: from its own header, or from W3C `traceparent`. */
export function correlationIdFrom(headers: IncomingHttpHeaders): string | undefined {
  for (const name of ['x-correlation-id', 'x-request-id']) {
    const text = String(headers[name] ?? '').trim();
    // The id goes into logs, so only short visible text is accepted.
    if (text.length <= MAX_ID_LENGTH && /^[\x21-\x7e]+$/.test(text)) return text;
  }
  return /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(
    String(headers['traceparent'] ?? ''),
  )?.[1];
}
