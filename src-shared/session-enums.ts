// The one source of the small enumerations that host, sandbox and renderer must agree on
// (spec 000: preview and security types). Import them; never spell them again.

export const LANES = ['main', 'draft'] as const;
export type Lane = (typeof LANES)[number];

export const TRIGGERS = ['schedule', 'manual', 'event'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const LANE_VALIDATION_STATUSES = ['valid', 'invalid'] as const;
export type LaneValidationStatus = (typeof LANE_VALIDATION_STATUSES)[number];

/** What a sandbox must show to act: it may only act for the run it is bound to. */
export interface SandboxClaim {
  readonly workflowId: string;
  readonly lane: Lane;
  readonly runId: string;
  readonly sandboxId: string;
}
