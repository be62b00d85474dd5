// The interface through which metrics and traces follow the engine. An observer changes nothing in
// the engine and must not throw.
import type { MutationOutcome } from '#main/tools/tool.ts';

interface Ended {
  readonly workflowId: string;
  readonly handlerName: string;
  readonly runId: string;
  /** By the host's clock. */
  readonly startedAt: number;
  readonly ms: number;
}

export interface PhaseEnded extends Ended {
  readonly phase: 'run' | 'prepare' | 'mutate' | 'next';
  readonly isOk: boolean;
}

export interface EffectEnded extends Ended {
  readonly tool: string;
  readonly effectId: string;
  readonly outcome: MutationOutcome['type'];
}

export interface RunEnded extends Ended {
  readonly kind: 'producer' | 'consumer';
  readonly sessionId: string;
  readonly end: 'committed' | 'failed' | 'suspended';
}

export interface SpentOnCall {
  readonly tool: string;
  readonly microdollars: number;
}

export interface EngineObserver {
  phase(phase: PhaseEnded): void;
  effect(effect: EffectEnded): void;
  run(run: RunEnded): void;
  /** Once for each call that cost something, reads and effects alike. */
  spent(spent: SpentOnCall): void;
  /** `size`: the number of writes that shared one group commit. */
  batch(size: number): void;
}
