// Calls about the artifacts of inputs.
// Change feed: `automation_runs` (ids of the runs whose artifacts changed or arrived).
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import { artifactName, BASE64, MAKERS, mediaType } from '#shared/inputs/artifacts.ts';
import { MAX_ARTIFACT_BYTES } from '#shared/limits.ts';

export const artifactSchema = z.strictObject({
  id,
  name: z.string(),
  /** Its media type. */
  type: z.string(),
  /** Null if it is not known: the content is on another device. */
  bytes: z.int().nullable(),
  sha256: z.string(),
  maker: z.enum(MAKERS),
  /** The handler run that made it. */
  runId: id.nullable(),
  handlerName: z.string().nullable(),
  deviceId: id,
  deviceName: z.string(),
  createdAt: millis,
  /** Whether this device has the content. It is fetched when it is read. */
  isHere: z.boolean(),
});
export type ArtifactView = z.infer<typeof artifactSchema>;

/** Four characters for three bytes. */
const MAX_BASE64_LENGTH = Math.ceil(MAX_ARTIFACT_BYTES / 3) * 4;

export const artifactContract = {
  /** Oldest first. A name can occur more than once: the last one counts. */
  'artifacts.list': {
    input: z.strictObject({ inputId: id }),
    output: z.strictObject({ artifacts: z.array(artifactSchema) }),
  },
  /** The content, which is fetched from another device if it is not here. */
  'artifacts.read': {
    input: z.strictObject({ inputId: id, artifactId: id }),
    output: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('content'), artifact: artifactSchema, base64: z.string() }),
      /** No connected device has it. `message` says where it is. */
      z.strictObject({
        type: z.literal('unavailable'),
        artifact: artifactSchema,
        message: z.string(),
      }),
    ]),
  },
  /** Attaches a file to an input. Idempotent by `requestId`. */
  'artifacts.attach': {
    input: z.strictObject({
      requestId: id,
      inputId: id,
      name: artifactName,
      type: mediaType.default('application/octet-stream'),
      base64: BASE64.max(
        MAX_BASE64_LENGTH,
        `must be at most ${MAX_ARTIFACT_BYTES} bytes before encoding`,
      ),
    }),
    output: z.strictObject({ artifact: artifactSchema }),
  },
} as const;
