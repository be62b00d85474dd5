// The door between a thread and the host: what comes out of a sandbox is only text until here.
// Code in a context can reach whatever our realm can, so nothing it says is taken on trust.
import { MAX_INBOUND_BYTES } from '#main/sandbox/limits.ts';
import type { HostCall, HostReply, PhaseRequest } from '#main/sandbox/sandbox.ts';

/** Undefined: not something our realm would say. */
export function readCalls(text: string, request: PhaseRequest): HostCall[] | undefined {
  const calls = JSON.parse(text) as unknown;
  if (!Array.isArray(calls)) return undefined;
  return calls.every((call) => isCall(call, request)) ? calls : undefined;
}

function isCall(call: unknown, { tools }: PhaseRequest): call is HostCall {
  if (typeof call !== 'object' || call === null || !('op' in call)) return false;
  const { op, namespace, method, topic, limit, params, event, result, input } = call as Record<
    string,
    unknown
  >;
  switch (op) {
    case 'tool':
      return (
        typeof namespace === 'string' &&
        typeof method === 'string' &&
        params !== undefined &&
        Object.hasOwn(tools, namespace) &&
        tools[namespace]?.includes(method) === true
      );
    case 'peek':
      return typeof topic === 'string' && Number.isInteger(limit);
    case 'publish':
      return typeof topic === 'string' && event !== undefined;
    case 'complete':
      return result !== undefined;
    case 'registerInput':
      return input !== undefined;
    default:
      return false;
  }
}

export type Answer =
  | { readonly type: 'replies'; readonly text: string }
  | { readonly type: 'stop' }
  /** Ours: the host did not keep to the interface. */
  | { readonly type: 'broken'; readonly message: string };

export async function askHost(
  calls: readonly HostCall[],
  onCalls: (calls: readonly HostCall[]) => Promise<readonly HostReply[]>,
): Promise<Answer> {
  try {
    const replies = await onCalls(calls);
    if (replies.some((reply) => reply.type === 'stop')) return { type: 'stop' };
    if (replies.length !== calls.length) {
      return broken(`${calls.length} calls got ${replies.length} replies`);
    }
    const text = JSON.stringify(replies);
    if (Buffer.byteLength(text) > MAX_INBOUND_BYTES) return broken('the replies are too large');
    return { type: 'replies', text };
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
}

const broken = (why: string): Answer => ({
  type: 'broken',
  message: `The host could not answer: ${why}.`,
});
