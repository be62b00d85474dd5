// Calls that change nothing. A new call counts as one that writes until its last word is listed here.
const READS = new Set([
  'info',
  'list',
  'get',
  'read',
  'snapshot',
  'fetchEvents',
  'names',
  'overview',
  'log',
  'nearby',
  'validate',
  'raw',
]);

export function isRead(call: string): boolean {
  return READS.has(call.slice(call.lastIndexOf('.') + 1));
}
