// The sample that a new install offers: a workflow on the practice service that ends, on purpose,
// in one effect whose outcome nobody knows.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowLibrary } from '#main/authoring/library.ts';
import { packageRoot } from '#main/host/package-root.ts';
import { PRACTICE_PORT } from '#main/practice/practice-port.ts';
import { startPractice, type Practice } from '#main/practice/practice.ts';

export interface Sample {
  /** Starts the practice service and adds the workflow; asked for twice, it is there once. */
  begin(): Promise<{ workflowId: string; url: string }>;
  /** After a restart: the service is needed again where the sample was begun before. */
  goOn(): void;
  close(): Promise<void>;
}

export function createSample(library: WorkflowLibrary, dataDir: string): Sample {
  const path = join(dataDir, 'workflows', 'practice.ts');
  let service: Promise<Practice | null> | undefined;

  function ensureService(): Promise<Practice | null> {
    // Taken: most likely by "holdfast practice", which is the same service.
    service ??= startPractice({ port: PRACTICE_PORT }).catch(() => null);
    return service;
  }

  return {
    begin: async () => {
      await ensureService();
      if (!existsSync(path)) {
        mkdirSync(join(dataDir, 'workflows'), { recursive: true });
        copyFileSync(join(packageRoot(), 'examples', 'practice.ts'), path);
      }
      const { workflowId } = await library.add(path);
      return { workflowId, url: `http://127.0.0.1:${PRACTICE_PORT}` };
    },
    goOn: () => {
      if (existsSync(path)) void ensureService();
    },
    close: async () => {
      await (await service)?.close();
    },
  };
}
