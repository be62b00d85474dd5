// Runs pieces of code as the prepare of a consumer, in a real sandbox.
import { afterAll } from 'vitest';
import { createSandbox, type SandboxOptions } from '#main/sandbox/pool.ts';
import type {
  OnCalls,
  PhaseLimits,
  PhaseRequest,
  PhaseResult,
  Sandbox,
} from '#main/sandbox/sandbox.ts';
import type { Json } from '#shared/json.ts';

export const FILE = 'mine.ts';
const LIMITS: PhaseLimits = { cpuMs: 2000, wallMs: 20_000 };

export interface RunOptions {
  readonly args?: readonly Json[];
  readonly onCalls?: OnCalls;
  readonly limits?: Partial<PhaseLimits>;
  readonly values?: Partial<PhaseRequest['values']>;
  readonly tools?: PhaseRequest['tools'];
  readonly given?: PhaseRequest['given'];
  readonly isEndedByCalls?: boolean;
  /** Before the workflow, at the top of the file. */
  readonly top?: string;
}

export interface Phases {
  readonly sandbox: Sandbox;
  run(body: string, options?: RunOptions): Promise<PhaseResult>;
  /** The value returned; throws if the phase did not return. */
  value(body: string, options?: RunOptions): Promise<Json>;
  failure(body: string, options?: RunOptions): Promise<PhaseResult & { type: 'failed' }>;
}

export const answerWith =
  (value: Json): OnCalls =>
  async (calls) =>
    calls.map(() => ({ type: 'value', value }));

/** The body begins in line 3 of the file. */
export const fileWith = (body: string, top = ''): string =>
  `import { workflow } from 'holdfast';${top}\nexport default workflow({ name: 'test', topics: [], consumers: { c: { async prepare(ctx, ...args) {\n${body}\n} } } });\n`;

export function createPhases(options: Partial<SandboxOptions> = {}): Phases {
  const sandbox = createSandbox({ workers: 1, memoryBytes: 32 * 1024 * 1024, ...options });
  afterAll(() => sandbox.close());

  const run: Phases['run'] = (body, given = {}) =>
    sandbox.run(
      {
        code: fileWith(body, given.top),
        fileName: FILE,
        entry: { kind: 'consumer', name: 'c', method: 'prepare' },
        args: given.args ?? [],
        tools: given.tools ?? { http: ['get', 'post'] },
        values: { now: Date.UTC(2026, 0, 1), seed: 'seed', runId: 'run-1', ...given.values },
        limits: { ...LIMITS, ...given.limits },
        ...(given.given ? { given: given.given } : {}),
        ...(given.isEndedByCalls ? { isEndedByCalls: true } : {}),
      },
      given.onCalls ?? answerWith(null),
    );

  return {
    sandbox,
    run,
    async value(body, given) {
      const result = await run(body, given);
      if (result.type !== 'returned') throw new Error(JSON.stringify(result));
      return result.value;
    },
    async failure(body, given) {
      const result = await run(body, given);
      if (result.type !== 'failed') throw new Error(JSON.stringify(result));
      return result;
    },
  };
}
