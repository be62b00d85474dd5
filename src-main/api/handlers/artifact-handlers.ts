// Handlers of the artifacts of inputs.
import type { Handlers } from '#main/api/dispatch.ts';
import { requireInput } from '#main/api/handlers/input-handlers.ts';
import { notFound } from '#main/api/not-found.ts';
import type { Engine } from '#main/engine/engine.ts';
import { artifactsOf } from '#main/input-lifecycle/input-artifacts.ts';
import type { InputsParts } from '#main/inputs/inputs.ts';
import type { artifactContract, ArtifactView } from '#shared/api/artifacts.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { Artifact } from '#shared/inputs/artifacts.ts';
import { MAX_ARTIFACT_BYTES, MAX_ARTIFACTS_LISTED } from '#shared/limits.ts';

export function createArtifactHandlers(
  engine: Engine,
  parts: InputsParts,
): Pick<Handlers, keyof typeof artifactContract> {
  const { stores } = engine.context;
  return {
    'artifacts.list': async ({ inputId }) => {
      const { run } = requireInput(engine, inputId);
      const found = artifactsOf(stores, run.id);
      return { artifacts: await Promise.all(found.map((one) => toView(engine, parts, one))) };
    },
    'artifacts.read': async ({ inputId, artifactId }) => {
      const { run } = requireInput(engine, inputId);
      const artifact = artifactsOf(stores, run.id).find(({ id }) => id === artifactId);
      if (!artifact) throw notFound('artifact', artifactId);
      const read = await parts.artifacts.read(artifact);
      const view = await toView(engine, parts, artifact);
      if (read.type === 'unavailable') return { ...read, artifact: view };
      const base64 = Buffer.from(read.content).toString('base64');
      return { type: 'content', artifact: view, base64 };
    },
    'artifacts.attach': (request) => attach(engine, parts, request),
  };
}

async function attach(
  engine: Engine,
  parts: InputsParts,
  { requestId, inputId, name, type, base64 }: CallArguments<'artifacts.attach'>,
): Promise<CallOutput<'artifacts.attach'>> {
  const { stores, store } = engine.context;
  const { run } = requireInput(engine, inputId);
  const content = Buffer.from(base64, 'base64');
  if (content.length > MAX_ARTIFACT_BYTES) {
    throw new ApiError({
      type: 'too_large',
      message: `The file "${name}" has ${content.length} bytes; an artifact has at most ${MAX_ARTIFACT_BYTES}. Nothing was attached.`,
    });
  }
  // Artifacts are shared with other devices, and masking would change the file. Latin-1 keeps every byte.
  const text = content.toString('latin1');
  if (parts.masker.mask(text) !== text) {
    throw new ApiError({
      type: 'invalid_input',
      message: `The file "${name}" contains a secret of Holdfast. Nothing was attached, because artifacts are shared with your other devices. Remove the secret from the file.`,
    });
  }
  if (stores.artifacts.ofRun(run.id, MAX_ARTIFACTS_LISTED).length >= MAX_ARTIFACTS_LISTED) {
    throw new ApiError({
      type: 'conflict',
      message: `This input has ${MAX_ARTIFACTS_LISTED} artifacts, and no more are listed. Nothing was attached.`,
    });
  }
  const { ref, bytes } = await parts.artifacts.put(content);
  const id = store.db.writeDurably(() =>
    stores.artifacts.insert({
      runId: run.id,
      name,
      type,
      bytes,
      sha256: ref,
      maker: 'person',
      cause: requestId,
    }),
  );
  const artifact = stores.artifacts.get(id);
  if (!artifact) throw notFound('artifact', id);
  return { artifact: await toView(engine, parts, artifact) };
}

async function toView(
  engine: Engine,
  parts: InputsParts,
  artifact: Artifact,
): Promise<ArtifactView> {
  const { stores } = engine.context;
  const { handlerRunId, deviceId, bytes, runId: _run, ...facts } = artifact;
  const size = await parts.artifacts.files.size(artifact.sha256);
  const handler = handlerRunId === null ? undefined : stores.handlerRuns.get(handlerRunId);
  return {
    ...facts,
    bytes: bytes ?? size,
    runId: handlerRunId,
    handlerName: handler?.handlerName ?? null,
    deviceId,
    deviceName: stores.devices.get(deviceId)?.name ?? deviceId,
    isHere: size !== null,
  };
}
