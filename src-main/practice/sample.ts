// The sample that a new install offers: a workflow on the practice service that ends, on purpose,
// in one effect whose outcome nobody knows.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { WorkflowLibrary } from '#main/authoring/library.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { PRACTICE_PORT } from '#main/practice/practice-port.ts';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { Json } from '#shared/json.ts';

/** It answers at once, or not at all. */
const PRACTICE_ANSWER_MS = 3_000;

export interface Sample {
  /** Starts the practice service and adds the workflow; asked for twice, it is there once. */
  begin(): Promise<{ workflowId: string; url: string }>;
  /** What the service has done with this key, as whoever opens its page would see it. */
  look(key: string): Promise<PracticeEffect[]>;
  /** After a restart: the service is needed again where the sample was begun before. */
  goOn(): void;
  close(): Promise<void>;
}

interface PracticeEffect {
  readonly name: string;
  readonly body: Json;
}

const answerSchema = z.object({
  effects: z.array(z.object({ name: z.string(), body: z.json().default(null) })),
});

/** Over HTTP also where the service is ours: it may be that of another process. */
async function readEffects(key: string): Promise<PracticeEffect[]> {
  try {
    const answer = await fetch(
      `http://127.0.0.1:${PRACTICE_PORT}/effects?key=${encodeURIComponent(key)}`,
      {
        signal: AbortSignal.timeout(PRACTICE_ANSWER_MS),
      },
    );
    return answerSchema.parse(await answer.json()).effects;
  } catch (cause) {
    throw new ApiError(
      {
        type: 'busy',
        message: `The practice service does not answer on port ${PRACTICE_PORT}. Another program may use that port: end it, then start Holdfast again.`,
      },
      { cause },
    );
  }
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
    look: async (key) => {
      await ensureService();
      return readEffects(key);
    },
    goOn: () => {
      if (existsSync(path)) void ensureService();
    },
    close: async () => {
      await (await service)?.close();
    },
  };
}
