// Calls that are safe to repeat after an unknown outcome: reads, and calls whose input has its own
// idempotency id.
import { contract, isCallName } from '#shared/api/contract.ts';

const READS = new Set([
  'info',
  'list',
  'get',
  'snapshot',
  'fetchEvents',
  'names',
  'overview',
  'log',
  'nearby',
  'validate',
]);

const ID_FIELDS = ['requestId', 'startRequestId', 'terminalEventId', 'idempotencyKey', 'messageId'];

export function isRepeatable(call: string, input: unknown): boolean {
  if (!isCallName(call)) return true;
  if (READS.has(call.slice(call.lastIndexOf('.') + 1))) return true;
  if (typeof input !== 'object' || input === null) return false;
  const { shape } = contract[call].input;
  return ID_FIELDS.some(
    (key) =>
      Object.hasOwn(shape, key) &&
      Object.hasOwn(input, key) &&
      typeof (input as { [key: string]: unknown })[key] === 'string',
  );
}
