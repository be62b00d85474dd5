// A real host in this process, with a new data folder.
import { onTestFinished } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Tests listen on loopback only. */
export const LOOPBACK = { host: '127.0.0.1', port: 0 };

export function createTestHost(dataDir = tempFolder()): Host {
  const sandbox = sharedSandbox();
  const host = createHost({ dataDir, createLog: createSilentLog, links: LOOPBACK, sandbox });
  onTestFinished(() => host.close());
  return host;
}
