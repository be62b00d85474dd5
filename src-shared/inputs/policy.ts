// The policy of an input: what its runs may do, frozen before its first event can be handled. Runs of
// several inputs get what all of their policies allow.
import { z } from 'zod';
import { freezeFlags, type Flags } from '#shared/flags.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PUBLISHES, PHASE_CPU_MS, PHASE_WALL_MS } from '#shared/limits.ts';

const limitsSchema = z.strictObject({
  /** Computing and waiting time of one phase. */
  phaseCpuMs: z.int().min(1),
  phaseWallMs: z.int().min(1),
  /** Events that one run may publish. */
  publishes: z.int().min(0),
});
export type PolicyLimits = z.output<typeof limitsSchema>;

export const CURRENT_LIMITS: PolicyLimits = {
  phaseCpuMs: PHASE_CPU_MS,
  phaseWallMs: PHASE_WALL_MS,
  publishes: MAX_PUBLISHES,
};

/** Version 1 had only the rules of redaction, so nothing can be enforced from it. */
export const policySchema = z.strictObject({
  version: z.literal(2),
  workflow: z.string(),
  /** The device whose grants these are. */
  device: z.string(),
  /** How the payload was sanitized. */
  redaction: z.strictObject({
    normalised: z.boolean(),
    patterns: z.boolean(),
    paths: z.array(z.string()),
  }),
  /** By tool: hosts, folders, scripts, the mail account with the names of its secrets. */
  grants: z.record(z.string(), z.json()),
  flags: z.record(z.string(), z.boolean()),
  limits: limitsSchema,
});
export type Policy = z.output<typeof policySchema>;

export interface PolicyFacts {
  readonly workflow: string;
  readonly device: string;
  readonly redactPaths: readonly string[];
  readonly grants: { readonly [tool: string]: Json };
  readonly flags: Flags;
}

/** The same facts always give the same text, so inputs of one hook share one artifact. */
export function freezePolicy(facts: PolicyFacts): Policy {
  const { workflow, device, redactPaths, grants, flags } = facts;
  return {
    version: 2,
    workflow,
    device,
    redaction: { normalised: true, patterns: true, paths: [...redactPaths] },
    grants: { ...grants },
    flags: { ...flags },
    limits: CURRENT_LIMITS,
  };
}

/** Restricts a run further than the grants of the moment. */
export interface PolicyInForce {
  /** The frozen grants, all of which must allow a call. Empty for a run without an input. */
  readonly grants: readonly { readonly [tool: string]: Json }[];
  readonly isPreview: boolean;
  readonly limits: PolicyLimits;
}

export const NO_POLICY: PolicyInForce = { grants: [], isPreview: false, limits: CURRENT_LIMITS };

export function combinePolicies(policies: readonly Policy[]): PolicyInForce {
  return {
    grants: policies.map(({ grants }) => grants),
    isPreview: policies.some(({ flags }) => freezeFlags(flags).sandboxPreview),
    limits: narrowestLimits([CURRENT_LIMITS, ...policies.map(({ limits }) => limits)]),
  };
}

function narrowestLimits(all: readonly PolicyLimits[]): PolicyLimits {
  return {
    phaseCpuMs: Math.min(...all.map(({ phaseCpuMs }) => phaseCpuMs)),
    phaseWallMs: Math.min(...all.map(({ phaseWallMs }) => phaseWallMs)),
    publishes: Math.min(...all.map(({ publishes }) => publishes)),
  };
}
