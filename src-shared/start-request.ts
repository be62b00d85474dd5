// Derives the `start_request_id` of a start from its cause. The same cause always gives the same text,
// so a repeated request starts one run (spec 000).

export const startRequest = {
  /** The client creates one `requestId` per click. */
  manual: (requestId: string): string => `manual:${requestId}`,
  schedule: (producer: string, scheduledAt: number): string =>
    `schedule:${producer}:${scheduledAt}`,
  event: (eventId: string, attempt: number): string => `event:${eventId}:${attempt}`,
  retry: (runId: string): string => `retry:${runId}`,
  automation: (automationRunId: string): string => `run:${automationRunId}:session`,
  wake: (consumer: string, wakeAt: number): string => `wake:${consumer}:${wakeAt}`,
  continue: (runId: string): string => `continue:${runId}`,
  check: (runId: string): string => `check:${runId}`,
  resend: (runId: string): string => `resend:${runId}`,
  validate: (deviceId: string, sourceSha: string): string => `validate:${deviceId}:${sourceSha}`,
} as const;
