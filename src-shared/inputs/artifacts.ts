// Artifacts of an input: files by the hash of their content, with a name and a media type.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH, MAX_STORED_ARTIFACT_BYTES } from '#shared/limits.ts';

/** Names of the artifacts that the stages of an input make. */
export const STAGE_ARTIFACTS = {
  enrichment: 'payload.json',
  sources: 'sources.json',
  policy: 'policy.json',
  completion: 'result.json',
} as const;

const RESERVED: readonly string[] = Object.values(STAGE_ARTIFACTS);

export const SHA256 = /^[0-9a-f]{64}$/;

/** A plain file name: the command line saves an artifact under it. */
const plainName = z
  .string()
  .min(1)
  .max(MAX_NAME_LENGTH)
  .regex(
    /^(?!\.{1,2}$)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/\\:]+$/u,
    'must be a plain file name, without slashes, colons and control characters',
  );

/** A name that a handler or a person may choose. */
export const artifactName = plainName.refine((name) => !RESERVED.includes(name), {
  error: `must not be one of ${RESERVED.join(', ')}: Holdfast makes these itself`,
});

/** `text/plain` or `text/csv; charset=utf-8`. */
export const mediaType = z
  .string()
  .max(100)
  .regex(
    /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*(; ?[a-z0-9-]+=[\w.-]+)*$/,
    'must be a media type such as text/plain',
  );

export const BASE64 = z.base64({ error: 'must be base64' });

/** The argument of `ctx.artifacts.write`. */
export const writeArtifactSchema = z
  .strictObject({
    name: artifactName,
    type: mediaType.optional(),
    text: z.string().optional(),
    json: json.optional(),
    base64: BASE64.optional(),
    /** For producers: the id of an input that this run registered. */
    input: z.string().min(1).max(MAX_ID_LENGTH).optional(),
  })
  .refine(
    ({ text, json: value, base64 }) =>
      [text, value, base64].filter((content) => content !== undefined).length === 1,
    { error: 'needs one of text, json and base64' },
  );
export type WriteArtifact = z.output<typeof writeArtifactSchema>;

/** The maker of an artifact: a stage of the input, a run of a handler, or a person. */
export const MAKERS = ['stage', 'handler', 'person'] as const;
export type Maker = (typeof MAKERS)[number];

/** The facts of a row, which another device may have written. */
export const artifactFactsSchema = z.object({
  run_id: z.string().min(1).max(MAX_ID_LENGTH),
  name: plainName,
  type: mediaType,
  /** Null if the version that made it did not record it. */
  bytes: z.int().min(0).max(MAX_STORED_ARTIFACT_BYTES).nullable(),
  sha256: z.string().regex(SHA256),
  maker: z.enum(MAKERS),
  /** The handler run or the request that made it. */
  cause: z.string().min(1).max(MAX_ID_LENGTH),
  device_id: z.string().min(1).max(MAX_ID_LENGTH),
  created_at: z.int().min(0),
});

export interface Artifact {
  readonly id: string;
  /** The automation run. */
  readonly runId: string;
  readonly name: string;
  readonly type: string;
  /** Null if an older version wrote the row, which did not record it. */
  readonly bytes: number | null;
  readonly sha256: string;
  readonly maker: Maker;
  /** The run of the handler that made it; null for the others. */
  readonly handlerRunId: string | null;
  /** The device that had the content when it was made. */
  readonly deviceId: string;
  readonly createdAt: number;
}

const JSON_TYPE = 'application/json';

export const defaultType = ({ text, json: value }: WriteArtifact): string =>
  text === undefined
    ? value === undefined
      ? 'application/octet-stream'
      : JSON_TYPE
    : 'text/plain';

export const isJsonType = (type: string): boolean => type === JSON_TYPE || type.endsWith('+json');
