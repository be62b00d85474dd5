// The message id of an input's first event, which is the idempotency key of spec 004.

const PROMPT = /^run:([0-9a-f]{32}):prompt:v1$/;

export const firstMessageId = (runId: string): string => `run:${runId}:prompt:v1`;

/** The automation run of this first event, or null if it is another event. */
export function runOfFirstMessage(messageId: string): string | null {
  return PROMPT.exec(messageId)?.[1] ?? null;
}
