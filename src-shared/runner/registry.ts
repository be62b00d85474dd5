// The schema of the runner's registry, a file that a person writes: which scripts may run on this
// device, with which arguments and in which folders. Nothing else can run.
import { z } from 'zod';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const key = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be a short name of a-z, 0-9, ".", "_" and "-"');
const argName = z
  .string()
  .regex(/^[a-zA-Z][\w-]{0,63}$/, 'must be a short name that begins with a letter');
const envName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,127}$/, "isn't a valid environment variable name")
  .refine((name) => !name.startsWith('HOLDFAST_'), 'is reserved by Holdfast');
const plainText = (max: number): z.ZodString =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, 'must not contain a NUL character');

/** Longer values belong in a file. */
export const MAX_ARG_LENGTH = 4096;

export const argSchema = z
  .strictObject({
    type: z.enum(['string', 'integer', 'number', 'boolean', 'path']),
    description: z.string().max(500).optional(),
    required: z.boolean().default(false),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    choices: z
      .array(z.union([z.string(), z.number()]))
      .min(1)
      .max(100)
      .optional(),
    /** Must match the whole value. */
    pattern: z.string().max(500).optional(),
    maxLength: z.int().min(1).max(MAX_ARG_LENGTH).default(1000),
    min: z.number().optional(),
    max: z.number().optional(),
    /** `--name` before the value. Without it the value is positional. For a boolean, only the flag is passed. */
    flag: z
      .string()
      .regex(/^--?[A-Za-z0-9][\w.-]*$/, 'must look like -x or --name')
      .optional(),
    /** `separate`: `--name value`; `joined`: `--name=value`. */
    style: z.enum(['separate', 'joined']).default('separate'),
    /** Whether a value may start with "-", which a script may read as an option. */
    allowDash: z.boolean().default(false),
  })
  .superRefine((arg, context) => {
    const flaw = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (arg.type === 'boolean' && arg.flag === undefined) flaw('flag', 'is required for a boolean');
    if (arg.pattern !== undefined && wholePattern(arg.pattern) === null) {
      flaw('pattern', "isn't a valid regular expression");
    }
    if (arg.required && arg.default !== undefined)
      flaw('default', "isn't allowed for a required argument");
  });
export type ArgSpec = z.output<typeof argSchema>;

const scriptSchema = z.strictObject({
  title: z.string().trim().min(1).max(MAX_NAME_LENGTH),
  description: z.string().max(2000).default(''),
  /** Relative to the repo, or absolute. */
  executable: plainText(1000).min(1),
  /** The folder that must contain it after links are resolved; by default the repo or its own folder. */
  executableWithin: plainText(1000).min(1).optional(),
  fixedArgs: z.array(plainText(MAX_ARG_LENGTH)).max(100).default([]),
  args: z.record(argName, argSchema).default({}),
  /** The repos in which it may run; all by default. */
  repos: z.array(key).min(1).optional(),
  env: z
    .strictObject({
      /** The variables of the host's environment that it gets. */
      pass: z.array(envName).max(100).optional(),
      set: z.record(envName, plainText(10_000)).default({}),
      /** Names of secrets; their values are masked in the log. */
      secrets: z.record(envName, z.string().min(1).max(MAX_NAME_LENGTH)).default({}),
    })
    .default({ set: {}, secrets: {} }),
  /** `none`: it runs without a network, and not at all where that can't be enforced. */
  network: z.enum(['host', 'none']).default('host'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(24 * 60 * 60)
    .default(600),
  /** Between the request to end and the kill. */
  graceSeconds: z.number().min(0).max(60).default(5),
  /** Jobs of this script that run at the same time. */
  concurrency: z.int().min(1).max(64).default(4),
  /** The cost of a run, if the script doesn't report it itself. */
  cost: z.strictObject({ usd: z.number().min(0).max(1_000_000) }).optional(),
  maxLogBytes: z
    .int()
    .min(KIB)
    .max(4 * KIB * MIB)
    .default(16 * MIB),
});
export type ScriptSpec = z.output<typeof scriptSchema>;

const repoSchema = z.strictObject({
  title: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional(),
  /** An absolute path, or one that starts with `~/`. */
  path: plainText(1000).regex(
    /^(?:\/|~\/|[A-Za-z]:[\\/])/,
    'must be a full path, or begin with ~/',
  ),
});

export const registrySchema = z
  .strictObject({
    repos: z.record(key, repoSchema),
    scripts: z.record(key, scriptSchema),
  })
  .superRefine(({ repos, scripts }, context) => {
    for (const [name, script] of Object.entries(scripts)) {
      for (const repo of script.repos ?? []) {
        if (Object.hasOwn(repos, repo)) continue;
        const message = `unknown repo "${repo}"`;
        context.addIssue({ code: 'custom', path: ['scripts', name, 'repos'], message });
      }
    }
  });
export type Registry = z.output<typeof registrySchema>;

/** The pattern anchored to the whole value, or null if it is invalid. */
export function wholePattern(pattern: string): RegExp | null {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    return null;
  }
}
