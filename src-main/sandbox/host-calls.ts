// Validates what comes out of a sandbox thread. User code can reach everything in the realm, so no
// message of a thread is trusted.
import { MAX_INBOUND_BYTES } from '#main/sandbox/limits.ts';
import type { FromThread, RunMessage } from '#main/sandbox/messages.ts';
import type { Answer, OpenPhase } from '#main/sandbox/open-phase.ts';
import type {
  HostCall,
  HostReply,
  OnCalls,
  PhaseRequest,
  PhaseResult,
} from '#main/sandbox/sandbox.ts';
import type { Json } from '#shared/json.ts';

/** `PhaseResult` without the logs, which `thread.ts` collects. */
export type End = PhaseResult extends infer Result
  ? Result extends unknown
    ? Omit<Result, 'logs'>
    : never
  : never;

/** Undefined: not a list of calls that this phase may make. */
export function readCalls(text: string, request: PhaseRequest): HostCall[] | undefined {
  if (text === '') return [];
  const calls = JSON.parse(text) as unknown;
  if (!Array.isArray(calls)) return undefined;
  return calls.every((call) => isCall(call, request)) ? calls : undefined;
}

function isCall(call: unknown, { tools }: PhaseRequest): call is HostCall {
  if (typeof call !== 'object' || call === null || !('op' in call)) return false;
  const { op, namespace, method, topic, limit, params, event, result, input, deferred } =
    call as Record<string, unknown>;
  const { name, artifact } = call as Record<string, unknown>;
  if (deferred !== undefined && (deferred !== true || (op !== 'peek' && op !== 'publish')))
    return false;
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
    case 'artifacts.list':
      return typeof event === 'string';
    case 'artifacts.read':
      return typeof event === 'string' && typeof name === 'string';
    case 'artifacts.write':
      return artifact !== undefined;
    default:
      return false;
  }
}

const isDeferred = (call: HostCall): boolean => 'deferred' in call;

export async function askHost(calls: readonly HostCall[], onCalls: OnCalls): Promise<Answer> {
  try {
    const replies = await onCalls(calls);
    if (replies.some((reply) => reply.type === 'stop')) return { type: 'stop' };
    if (replies.length !== calls.length) {
      return broken(`${calls.length} calls got ${replies.length} replies`);
    }
    const text = JSON.stringify(
      replies.filter((_reply, index) => !isDeferred(calls[index] as HostCall)),
    );
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

/** Returns an error message if the phase cannot start. */
export function runMessage(
  id: number,
  { request, journal, elapsedBefore }: OpenPhase,
): RunMessage | string {
  const { code, fileName, limits, entry, args, tools, values, prefetched = {} } = request;
  try {
    const text = JSON.stringify({ entry, args, tools: toolsText(tools), values, prefetched });
    if (Buffer.byteLength(text) > MAX_INBOUND_BYTES)
      return 'The arguments of the phase are too large.';
    return {
      type: 'run',
      id,
      code,
      fileName,
      limits,
      now: values.now,
      seed: values.seed,
      request: text,
      endsWithCalls: request.endsWithCalls === true,
      elapsedBefore,
      clockReadings: journal.clockReadings,
    };
  } catch (error) {
    return `The arguments of the phase are not JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

const toolsTexts = new WeakMap<PhaseRequest['tools'], string>();

/** Cached by object identity: phases of one workflow share the object. */
function toolsText(tools: PhaseRequest['tools']): string {
  const text = toolsTexts.get(tools) ?? JSON.stringify(tools);
  toolsTexts.set(tools, text);
  return text;
}

/** The result of a phase, after the host has checked the calls that were answered in advance. */
export async function endOf(
  message: Extract<FromThread, { type: 'returned' | 'failed' }>,
  request: PhaseRequest,
  onCalls: OnCalls,
): Promise<End> {
  const calls = readCalls(message.deferred ?? '', request);
  if (!calls) return sandboxFailure('The code reported a call that this phase does not have.');
  const deferred = calls.filter(isDeferred);
  const replies: readonly HostReply[] = deferred.length > 0 ? await onCalls(deferred) : [];
  const refused = replies.find((reply) => reply.type !== 'value');
  if (message.type === 'failed') {
    const mayHaveUsedPrefetch = message.deferred === null && request.prefetched?.peek !== undefined;
    return {
      type: 'failed',
      ...message.failure,
      ...(mayHaveUsedPrefetch ? { mayHaveUsedPrefetch: true } : {}),
    };
  }
  if (refused?.type === 'stop') return { type: 'stopped' };
  if (refused) {
    const { message: why, errorType } = refused;
    return { type: 'failed', cause: 'thrown', message: why, stack: why, errorType };
  }
  return { type: 'returned', value: JSON.parse(message.value) as Json };
}

export function sandboxFailure(message: string): End {
  return { type: 'failed', cause: 'sandbox', message, stack: message };
}
