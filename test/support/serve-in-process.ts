// A host with its HTTP server in this process, so that a test can access the host as well.
import { onTestFinished } from 'vitest';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import type { Host } from '#main/host/host.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import type { Place } from '#test/support/http-client.ts';

export interface ServedInProcess extends Place {
  readonly host: Host;
  readonly port: number;
}

export async function serveInProcess(): Promise<ServedInProcess> {
  const host = createTestHost();
  const token = host.token.current;
  const server = await startHttpServer({ host, port: 0 });
  onTestFinished(() => server.close());
  return { host, token, url: server.url, port: Number(new URL(server.url).port) };
}
