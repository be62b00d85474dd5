// An OpenTelemetry collector over real HTTP. Requests that do not match the protocol are recorded as
// problems.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const attributes = z.array(
  z.strictObject({
    key: z.string().min(1),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ boolValue: z.boolean() }),
      z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
      z.strictObject({ doubleValue: z.number() }),
    ]),
  }),
);
const id = (bytes: number): z.ZodString =>
  z.string().regex(new RegExp(`^(?=.*[^0])[0-9a-f]{${bytes * 2}}$`));
const nanoseconds = z.string().regex(/^\d{16,20}$/);
const spanSchema = z
  .strictObject({
    traceId: id(16),
    spanId: id(8),
    parentSpanId: id(8).optional(),
    name: z.string().min(1),
    kind: z.int().min(0).max(5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    status: z.strictObject({ code: z.int().min(0).max(2) }),
  })
  .refine((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(spanSchema).min(1),
        }),
      ),
    }),
  ),
});
export type ReceivedSpan = z.infer<typeof spanSchema>;

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly bodies: string[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Violations of the protocol. */
  readonly problems: string[];
  /** Statuses of the next answers, then 200. Null: the connection is closed. */
  readonly answers: (number | null)[];
}

export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      collector.requests.push({
        path: `${request.method} ${request.url}`,
        headers: request.headers,
      });
      const status = collector.answers.length > 0 ? collector.answers.shift() : 200;
      if (status === null) return response.destroy();
      if (status === 200) take(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(status ?? 200, { 'Content-Type': 'application/json' }).end('{}');
      return undefined;
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    requests: [],
    problems: [],
    answers: [],
  };
  function take(body: string): void {
    collector.bodies.push(body);
    const parsed = requestSchema.safeParse(JSON.parse(body));
    if (!parsed.success) collector.problems.push(z.prettifyError(parsed.error));
    else {
      collector.spans.push(
        ...parsed.data.resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      );
    }
  }
  return collector;
}

export function attributesOf(span: ReceivedSpan): { [key: string]: unknown } {
  return Object.fromEntries(
    span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
  );
}
