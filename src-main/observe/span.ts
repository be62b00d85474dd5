// A trace span. Ids are derived from the run, so work repeated after a crash joins the same trace.
import { sha256Hex } from '#shared/ids.ts';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  readonly isOk: boolean;
  /** Ids, names and kinds only; never payloads. */
  readonly attributes: { readonly [name: string]: string | number | boolean };
}

export const traceIdOf = (correlationId: string): string =>
  /^[\da-f]{32}$/.test(correlationId) && /[^0]/.test(correlationId)
    ? correlationId
    : sha256Hex(`trace ${correlationId}`).slice(0, 32);

export const spanIdOf = (...parts: readonly (string | number)[]): string =>
  sha256Hex(JSON.stringify(['span', ...parts])).slice(0, 16);
