// Trace settings from the OpenTelemetry environment variables. Without them nothing is traced.
import { StartError } from '#main/platform/start-error.ts';

export interface TraceConfig {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly serviceName: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function traceConfig(env: Environment): TraceConfig | null {
  const exact = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const given = exact || base;
  if (!given) return null;
  const url = URL.parse(exact || `${(base ?? '').replace(/\/+$/, '')}/v1/traces`);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new StartError(
      'bad_setting',
      `OTEL_EXPORTER_OTLP_ENDPOINT is "${given.slice(0, 80)}", but must be an http or https URL. Nothing was started. Correct it or remove it.`,
    );
  }
  return {
    url: url.href,
    headers: parseHeaders(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''),
    serviceName: env['OTEL_SERVICE_NAME'] || 'holdfast',
  };
}

/** Parses `key=value,key=value` with percent-encoding. */
function parseHeaders(text: string): { [name: string]: string } {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined || value === undefined ? [] : [[name, decode(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
