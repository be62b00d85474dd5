// Who is told what the engine does, as it happens. It can change nothing, and must not throw.
import type { MutationOutcome } from '#main/tools/tool.ts';

interface Told {
  readonly workflowId: string;
  readonly handlerName: string;
  readonly runId: string;
  /** By the clock of the host. */
  readonly startedAt: number;
  readonly ms: number;
}

export interface PhaseTold extends Told {
  readonly phase: 'run' | 'prepare' | 'mutate' | 'next';
  readonly isOk: boolean;
}

export interface EffectTold extends Told {
  readonly tool: string;
  readonly effectId: string;
  readonly outcome: MutationOutcome['type'];
}

export interface RunTold extends Told {
  readonly kind: 'producer' | 'consumer';
  readonly sessionId: string;
  readonly end: 'committed' | 'failed' | 'suspended';
}

export interface EngineObserver {
  phase(told: PhaseTold): void;
  effect(told: EffectTold): void;
  run(told: RunTold): void;
  /** What shared one transaction. */
  batch(size: number): void;
}
