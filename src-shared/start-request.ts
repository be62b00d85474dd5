// Where a start comes from decides its `start_request_id`: the same cause always gives the same
// text, so the same start asked for twice is one run (spec 000).

export const startRequest = {
  /** `requestId` is minted by whoever clicked, once per click. */
  manual: (requestId: string): string => `manual:${requestId}`,
  schedule: (producer: string, scheduledAt: number): string =>
    `schedule:${producer}:${scheduledAt}`,
  event: (eventId: string, attempt: number): string => `event:${eventId}:${attempt}`,
  retry: (runId: string): string => `retry:${runId}`,
  automation: (automationRunId: string): string => `run:${automationRunId}:session`,
} as const;
