// Builds everything the host needs for inputs: ingress, stages, and the parts they share.
import type { Engine } from '#main/engine/engine.ts';
import type { ArtifactLibrary } from '#main/inputs/artifact-library.ts';
import { createHookRoute, type HookRoute } from '#main/inputs/hook-route.ts';
import { HookSecrets } from '#main/inputs/hook-secrets.ts';
import { Ingress } from '#main/inputs/ingress.ts';
import { InputPipeline } from '#main/inputs/pipeline.ts';
import { RawPayloadVault } from '#main/inputs/raw-payload-vault.ts';
import { RateLimiter, type RateLimits } from '#main/inputs/rate-limit.ts';
import type { Metrics } from '#main/observe/metrics.ts';
import type { Masker } from '#main/secrets/masker.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';

export interface InputsParts {
  readonly pipeline: InputPipeline;
  readonly artifacts: ArtifactLibrary;
  readonly rawPayloads: RawPayloadVault;
  readonly hookSecrets: HookSecrets;
  readonly hookRoute: HookRoute;
  readonly masker: Masker;
}

export interface InputsOptions {
  readonly engine: Engine;
  readonly artifacts: ArtifactLibrary;
  readonly secrets: SecretStore;
  readonly masker: Masker;
  /** Overrides the default rate limits of a hook. */
  readonly rate?: Partial<RateLimits> | undefined;
  readonly metrics: Metrics;
}

export function createInputs(options: InputsOptions): InputsParts {
  const { engine, artifacts, secrets, masker, metrics } = options;
  const { stores, store, commits, inputs, log, probe } = engine.context;
  const hookSecrets = new HookSecrets(secrets);
  const rawPayloads = new RawPayloadVault({
    secrets,
    store: stores.rawPayloads,
    settings: stores.settings,
    log,
  });
  inputs.sealRaw = rawPayloads.seal;
  const ingress = new Ingress({
    hooks: stores.hooks,
    runs: inputs,
    commits,
    secrets: hookSecrets,
    masker,
    limiter: new RateLimiter(store.clock, options.rate),
    clock: store.clock,
    readyToSeal: () => rawPayloads.ready(),
    onAnswer: (status) => metrics.webhookAnswered(status),
    probe,
  });
  metrics.addQueue('outbox', () => ({
    depth: stores.outbox.depth(),
    oldestAgeMs: stores.outbox.oldestAge(store.clock.now()),
  }));
  return {
    pipeline: new InputPipeline({
      engine,
      artifacts: artifacts.files,
      onStage: (stage, ms, isOk) => metrics.stage(stage, ms, isOk),
      isIngressBusy: () => ingress.isBusy,
    }),
    artifacts,
    rawPayloads,
    hookSecrets,
    hookRoute: createHookRoute(ingress),
    masker,
  };
}
