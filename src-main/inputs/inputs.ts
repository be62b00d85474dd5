// What the host has of inputs, made together: the doors, the stages, and what they share.
import type { Engine } from '#main/engine/engine.ts';
import { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { StageTold } from '#main/inputs/dispatcher.ts';
import { createHookRoute, type HookRoute } from '#main/inputs/hook-route.ts';
import { HookSecrets } from '#main/inputs/hook-secrets.ts';
import { Ingress } from '#main/inputs/ingress.ts';
import { InputPipeline } from '#main/inputs/pipeline.ts';
import { RateLimiter, type RateLimits } from '#main/inputs/rate-limit.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';

export interface InputsParts {
  readonly pipeline: InputPipeline;
  readonly artifacts: ArtifactStore;
  readonly hookSecrets: HookSecrets;
  readonly hookRoute: HookRoute;
  readonly masker: Masker;
}

export interface InputsOptions {
  readonly engine: Engine;
  readonly dataDir: string;
  readonly secrets: SecretStore;
  readonly masker: Masker;
  /** In the place of the usual limits of a hook. */
  readonly rate?: Partial<RateLimits> | undefined;
  readonly onStage?: StageTold;
  readonly onAnswer?: (status: number) => void;
}

export function createInputs(options: InputsOptions): InputsParts {
  const { engine, dataDir, secrets, masker, onStage, onAnswer = () => undefined } = options;
  const { stores, store, commits, inputs } = engine.context;
  const artifacts = new ArtifactStore({ dataDir, clock: store.clock });
  const hookSecrets = new HookSecrets(secrets);
  const ingress = new Ingress({
    hooks: stores.hooks,
    runs: inputs,
    commits,
    secrets: hookSecrets,
    masker,
    limiter: new RateLimiter(store.clock, options.rate),
    clock: store.clock,
    onAnswer,
  });
  return {
    pipeline: new InputPipeline({ engine, artifacts, ...(onStage ? { onStage } : {}) }),
    artifacts,
    hookSecrets,
    hookRoute: createHookRoute(ingress),
    masker,
  };
}
