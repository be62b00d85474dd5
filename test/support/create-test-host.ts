// A real host in this process, on a folder of its own.
import { onTestFinished } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export function createTestHost(dataDir = tempFolder()): Host {
  const host = createHost({ dataDir, createLog: createSilentLog });
  onTestFinished(() => host.close());
  return host;
}
