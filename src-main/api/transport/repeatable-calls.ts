// Calls that are safe to repeat after an unknown outcome: reads, and calls whose input has its own
// idempotency id.
import { isRead } from '#main/api/read-calls.ts';
import { contract, isCallName } from '#shared/api/contract.ts';

const ID_FIELDS = ['requestId', 'startRequestId', 'terminalEventId', 'idempotencyKey', 'messageId'];

/** Its answer is stored nowhere: it may contain secrets, and is sealed already. */
export const isAnswerStored = (call: string): boolean => call !== 'inputs.raw';

export function isRepeatable(call: string, input: unknown): boolean {
  if (!isCallName(call)) return true;
  if (isRead(call)) return true;
  if (typeof input !== 'object' || input === null) return false;
  const { shape } = contract[call].input;
  return ID_FIELDS.some(
    (key) =>
      Object.hasOwn(shape, key) &&
      Object.hasOwn(input, key) &&
      typeof (input as { [key: string]: unknown })[key] === 'string',
  );
}
