import { workerFile } from '#main/platform/worker-file.ts';

export function workerEntry(base: string = import.meta.url): URL {
  return workerFile(base, './worker.ts', 'sandbox-worker.js');
}
