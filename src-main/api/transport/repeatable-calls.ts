// Which calls may be made again when nobody knows whether they were made: those that only read, and
// those that carry an id of their own by which the second is known as the first.
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

const OWN_KEYS = ['requestId', 'startRequestId', 'terminalEventId', 'idempotencyKey', 'messageId'];

export function isRepeatable(call: string, input: unknown): boolean {
  if (!isCallName(call)) return true;
  if (READS.has(call.slice(call.lastIndexOf('.') + 1))) return true;
  if (typeof input !== 'object' || input === null) return false;
  const { shape } = contract[call].input;
  return OWN_KEYS.some(
    (key) =>
      Object.hasOwn(shape, key) &&
      Object.hasOwn(input, key) &&
      typeof (input as { [key: string]: unknown })[key] === 'string',
  );
}
