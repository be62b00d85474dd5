// The sample of a new install: a workflow on the practice service that ends with one effect whose
// outcome is unknown.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { WorkflowLibrary } from '#main/authoring/library.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { PRACTICE_PORT } from '#main/practice/practice-port.ts';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { Json } from '#shared/json.ts';

const REPLY_TIMEOUT_MS = 3_000;

export interface Sample {
  /** Starts the practice service and adds the workflow. Idempotent. */
  begin(): Promise<{ workflowId: string; url: string }>;
  /** The effects that the service received with this key. */
  effectsWithKey(key: string): Promise<PracticeEffect[]>;
  /** Starts the service again after a restart, if the sample was added before. */
  resume(): void;
  close(): Promise<void>;
}

interface PracticeEffect {
  readonly name: string;
  readonly body: Json;
}

const replySchema = z.object({
  effects: z.array(z.object({ name: z.string(), body: z.json().default(null) })),
});

/** Uses HTTP, because the service may run in another process. */
async function fetchEffects(key: string): Promise<PracticeEffect[]> {
  try {
    const reply = await fetch(
      `http://127.0.0.1:${PRACTICE_PORT}/effects?key=${encodeURIComponent(key)}`,
      { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) },
    );
    return replySchema.parse(await reply.json()).effects;
  } catch (cause) {
    throw new ApiError(
      {
        type: 'busy',
        message: `The practice service does not respond on port ${PRACTICE_PORT}. Another program may use that port. Nothing was changed. Stop that program, then start Holdfast again.`,
      },
      { cause },
    );
  }
}

export function createSample(library: WorkflowLibrary, dataDir: string): Sample {
  const path = join(dataDir, 'workflows', 'practice.ts');
  let service: Promise<Practice | null> | undefined;

  function ensureService(): Promise<Practice | null> {
    // If the port is in use, it is most likely by "holdfast practice", the same service.
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
    effectsWithKey: async (key) => {
      await ensureService();
      return fetchEffects(key);
    },
    resume: () => {
      if (existsSync(path)) void ensureService();
    },
    close: async () => {
      await (await service)?.close();
    },
  };
}
