// Enumerations that host, sandbox and renderer share (spec 000: preview and security types). Import
// them instead of repeating the literals.

export const LANES = ['main', 'draft'] as const;
export type Lane = (typeof LANES)[number];

export const TRIGGERS = ['schedule', 'manual', 'event'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const LANE_VALIDATION_STATUSES = ['valid', 'invalid'] as const;
export type LaneValidationStatus = (typeof LANE_VALIDATION_STATUSES)[number];

export const ACTIVE_SCRIPT_RUN_STATUSES = ['booting', 'running', 'validating'] as const;
export const TERMINAL_SCRIPT_RUN_STATUSES = [
  'completed',
  'failed',
  'suspended',
  'canceled',
  'timed_out',
] as const;
export const SCRIPT_RUN_STATUSES = [
  ...ACTIVE_SCRIPT_RUN_STATUSES,
  ...TERMINAL_SCRIPT_RUN_STATUSES,
] as const;
export type TerminalScriptRunStatus = (typeof TERMINAL_SCRIPT_RUN_STATUSES)[number];
export type ScriptRunStatus = (typeof SCRIPT_RUN_STATUSES)[number];

/** Identifies the run that a sandbox is bound to; it may act for no other run. */
export interface SandboxClaim {
  readonly workflowId: string;
  readonly lane: Lane;
  readonly runId: string;
  readonly sandboxId: string;
}
