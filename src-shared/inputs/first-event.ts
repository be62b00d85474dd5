// The first event of an input: its message id is the idempotency key of spec 004.

const PROMPT = /^run:([0-9a-f]{32}):prompt:v1$/;

export const firstMessageId = (runId: string): string => `run:${runId}:prompt:v1`;

/** The automation run whose first event this is; null: it is none. */
export function runOfFirstMessage(messageId: string): string | null {
  return PROMPT.exec(messageId)?.[1] ?? null;
}
