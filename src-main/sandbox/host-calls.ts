// The door between a thread and the host: what comes out of a sandbox is only text until here.
// Code in a context can reach whatever our realm can, so nothing it says is taken on trust.
import { MAX_INBOUND_BYTES } from '#main/sandbox/limits.ts';
import type { FromThread, RunMessage } from '#main/sandbox/messages.ts';
import type {
  HostCall,
  HostReply,
  OnCalls,
  PhaseRequest,
  PhaseResult,
} from '#main/sandbox/sandbox.ts';
import type { Json } from '#shared/json.ts';

/** What `PhaseResult` is without the logs, which are gathered here. */
export type End = PhaseResult extends infer Result
  ? Result extends unknown
    ? Omit<Result, 'logs'>
    : never
  : never;

/** Undefined: not something our realm would say. */
export function readCalls(text: string, request: PhaseRequest): HostCall[] | undefined {
  if (text === '') return [];
  const calls = JSON.parse(text) as unknown;
  if (!Array.isArray(calls)) return undefined;
  return calls.every((call) => isCall(call, request)) ? calls : undefined;
}

function isCall(call: unknown, { tools }: PhaseRequest): call is HostCall {
  if (typeof call !== 'object' || call === null || !('op' in call)) return false;
  const { op, namespace, method, topic, limit, params, event, result, input, told } =
    call as Record<string, unknown>;
  if (told !== undefined && (told !== true || (op !== 'peek' && op !== 'publish'))) return false;
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

const isTold = (call: HostCall): boolean => 'told' in call;

export type Answer =
  | { readonly type: 'replies'; readonly text: string }
  | { readonly type: 'stop' }
  /** Ours: the host did not keep to the interface. */
  | { readonly type: 'broken'; readonly message: string };

export async function askHost(calls: readonly HostCall[], onCalls: OnCalls): Promise<Answer> {
  try {
    const replies = await onCalls(calls);
    if (replies.some((reply) => reply.type === 'stop')) return { type: 'stop' };
    if (replies.length !== calls.length) {
      return broken(`${calls.length} calls got ${replies.length} replies`);
    }
    const text = JSON.stringify(
      replies.filter((_reply, index) => !isTold(calls[index] as HostCall)),
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

/** Or why the phase cannot even begin. */
export function runMessage(id: number, request: PhaseRequest): RunMessage | string {
  const { code, fileName, limits, entry, args, tools, values, given = {} } = request;
  try {
    const text = JSON.stringify({ entry, args, tools: toolsText(tools), values, given });
    if (Buffer.byteLength(text) > MAX_INBOUND_BYTES) return 'What the code is given is too large.';
    return {
      type: 'run',
      id,
      code,
      fileName,
      limits,
      now: values.now,
      seed: values.seed,
      request: text,
      callsEndIt: request.callsEndIt === true,
    };
  } catch (error) {
    return `What the code is given is no JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

const toolsTexts = new WeakMap<PhaseRequest['tools'], string>();

/** They are the same object from phase to phase. */
function toolsText(tools: PhaseRequest['tools']): string {
  const text = toolsTexts.get(tools) ?? JSON.stringify(tools);
  toolsTexts.set(tools, text);
  return text;
}

/** What a phase came to, once the host knows of all its calls. */
export async function endOf(
  message: Exclude<FromThread, { type: 'calls' }>,
  request: PhaseRequest,
  onCalls: OnCalls,
): Promise<End> {
  const calls = readCalls(message.told ?? '', request);
  if (!calls) return sandboxFailure('The code said something that it cannot have done.');
  const told = calls.filter(isTold);
  const replies: readonly HostReply[] = told.length > 0 ? await onCalls(told) : [];
  const refused = replies.find((reply) => reply.type !== 'value');
  if (message.type === 'failed') {
    const isSilent = message.told === null && request.given?.peek !== undefined;
    return { type: 'failed', ...message.failure, ...(isSilent ? { isSilent: true } : {}) };
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
