// What user code may ask of the host in each phase. A broken rule ends the phase as a logic error
// before anything leaves.
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { HostCall, HostReply, Prefetched } from '#main/sandbox/sandbox.ts';
import type { EventStore, TopicEvent } from '#main/store/tables/events.ts';
import type { BoundTools } from '#main/tools/tool-box.ts';
import type { z } from 'zod';
import {
  publishSchema,
  registerInputSchema,
  type Published,
  type RegisterInput,
} from '#shared/authoring/published.ts';
import { producedInputId } from '#shared/inputs/produced.ts';
import type { Json } from '#shared/json.ts';
import {
  MAX_COMPLETION_BYTES,
  MAX_PEEK,
  MAX_PUBLISHES,
  MAX_REGISTERED_INPUTS,
} from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

export type PhaseName = 'run' | 'prepare' | 'mutate' | 'next';

export interface MutationCall {
  readonly namespace: string;
  readonly method: string;
  readonly params: Json;
}

export interface PhaseCallsOptions {
  readonly phase: PhaseName;
  readonly script: RunnableScript;
  readonly workflowId: string;
  readonly subscribes: readonly string[];
  readonly publishes: readonly string[];
  readonly tools: BoundTools;
  readonly events: EventStore;
  readonly isKnownInput: (inputId: string) => boolean;
}

/** Answers the calls of one phase and gathers what it asked for. */
export class PhaseCalls {
  readonly published: Published[] = [];
  readonly peeked: TopicEvent[] = [];
  /** By their ids. */
  readonly registered = new Map<string, RegisterInput>();
  mutation: MutationCall | undefined;
  completion: { readonly result: Json } | undefined;
  /** The rule that was broken: the phase has failed, whatever user code made of it. */
  violation: string | undefined;
  readonly #options: PhaseCallsOptions;
  /** Read before the phase began, for its first peek. */
  #ready: { readonly topic: string; readonly events: readonly TopicEvent[] } | undefined;

  constructor(options: PhaseCallsOptions) {
    this.#options = options;
  }

  get tools(): BoundTools {
    return this.#options.tools;
  }

  /** What the phase is likely to ask, so that it need not wait for it. */
  given(): Prefetched {
    const { phase, subscribes, publishes, events, script } = this.#options;
    if (phase === 'next' || phase === 'run') return { publishes };
    const [topic, ...others] = subscribes;
    if (phase !== 'prepare' || topic === undefined || others.length > 0) return {};
    const found = events.peek(script.topicIds.get(topic) ?? '', 2);
    this.#ready = { topic, events: found.slice(0, 1) };
    const views = this.#ready.events.map((event) => eventView(event, topic));
    return { peek: { topic, events: views, isAll: found.length < 2 } };
  }

  /** The phase ended without a word on whether it used what it was given. */
  assumePeeked(): void {
    if (this.peeked.length === 0) this.peeked.push(...(this.#ready?.events ?? []));
  }

  async answer(calls: readonly HostCall[]): Promise<readonly HostReply[]> {
    this.violation = this.#ruleBrokenBy(calls);
    if (this.violation !== undefined) return calls.map(() => ({ type: 'stop' }));
    return Promise.all(calls.map((call) => this.#answerOne(call)));
  }

  #ruleBrokenBy(calls: readonly HostCall[]): string | undefined {
    const { phase } = this.#options;
    const mutations = calls.filter((call) => this.#kindOf(call) === 'mutation');
    if (phase === 'mutate') {
      if (mutations.length > 1) return 'mutate() made more than one mutating call; one is allowed.';
      const other = calls.find((call) => this.#kindOf(call) !== 'mutation');
      if (other) return `mutate() may only make its one mutating call, not ${nameOf(other)}.`;
      return undefined;
    }
    if (mutations[0]) return `${phase}() may not act: ${nameOf(mutations[0])} belongs in mutate().`;
    const forbidden = calls.find((call) => !ALLOWED[phase].includes(this.#kindOf(call)));
    return forbidden && `${phase}() may not call ${nameOf(forbidden)}.`;
  }

  #kindOf(call: HostCall): string {
    if (call.op !== 'tool') return call.op;
    return this.#options.tools.kindOf(call.namespace, call.method);
  }

  async #answerOne(call: HostCall): Promise<HostReply> {
    switch (call.op) {
      case 'tool':
        return this.#callTool(call);
      case 'peek':
        return call.deferred ? this.#peekedAt(call.topic) : this.#peek(call.topic, call.limit);
      case 'publish':
        return this.#publish(call.topic, call.event);
      case 'complete':
        return this.#complete(call.result);
      case 'registerInput':
        return this.#registerInput(call.input);
      default:
        return unreachable(call);
    }
  }

  #complete(result: Json): HostReply {
    if (Buffer.byteLength(JSON.stringify(result)) > MAX_COMPLETION_BYTES) {
      return logicError(
        `What ctx.complete() was given has more than ${MAX_COMPLETION_BYTES} bytes. Put it in a file and say its path.`,
      );
    }
    this.completion ??= { result };
    return { type: 'value', value: null };
  }

  /** Written with the commit of the run; its id is known before. */
  #registerInput(given: Json): HostReply {
    const parsed = registerInputSchema.safeParse(given);
    if (!parsed.success)
      return logicError(`This input was not registered: ${flaws(parsed.error)}.`);
    const input = parsed.data;
    if (input.topic !== undefined && !this.#options.publishes.includes(input.topic)) {
      return logicError(`"${input.topic}" is not among the topics that this handler publishes to.`);
    }
    if (this.registered.size >= MAX_REGISTERED_INPUTS) {
      return logicError(`A run may register at most ${MAX_REGISTERED_INPUTS} inputs.`);
    }
    const id = producedInputId(this.#options.workflowId, input);
    const isNew = !this.registered.has(id) && !this.#options.isKnownInput(id);
    if (!this.registered.has(id)) this.registered.set(id, input);
    return { type: 'value', value: { id, isNew } };
  }

  async #callTool(call: HostCall & { op: 'tool' }): Promise<HostReply> {
    if (this.#options.phase === 'mutate') {
      this.mutation = { namespace: call.namespace, method: call.method, params: call.params };
      return { type: 'stop' };
    }
    const outcome = await this.#options.tools.read(call.namespace, call.method, call.params);
    return outcome.type === 'ok'
      ? { type: 'value', value: outcome.result }
      : { type: 'error', message: outcome.error, errorType: outcome.errorType };
  }

  #peek(topicName: string, limit: number): HostReply {
    const { subscribes, events, script } = this.#options;
    if (!subscribes.includes(topicName)) {
      return logicError(`This consumer does not subscribe to "${topicName}".`);
    }
    const found = events.peek(
      script.topicIds.get(topicName) ?? '',
      Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PEEK),
    );
    this.peeked.push(...found);
    return { type: 'value', value: found.map((event) => eventView(event, topicName)) };
  }

  #peekedAt(topic: string): HostReply {
    if (this.#ready?.topic === topic) this.peeked.push(...this.#ready.events);
    return { type: 'value', value: null };
  }

  #publish(topicName: string, event: Json): HostReply {
    if (!this.#options.publishes.includes(topicName)) {
      return logicError(`"${topicName}" is not among the topics that this handler publishes to.`);
    }
    if (this.published.length >= MAX_PUBLISHES) {
      return logicError(`A run may publish at most ${MAX_PUBLISHES} events.`);
    }
    const parsed = publishSchema.safeParse(event);
    if (!parsed.success) return logicError(`This event was not published: ${flaws(parsed.error)}.`);
    const { input } = parsed.data;
    if (input !== undefined && !this.registered.has(input)) {
      return logicError(`"${input}" is no input that this run registered. Nothing was published.`);
    }
    this.published.push({ topic: topicName, ...parsed.data });
    return { type: 'value', value: null };
  }
}

const ALLOWED: { readonly [phase in PhaseName]: readonly string[] } = {
  run: ['read', 'publish', 'registerInput', 'unknown'],
  prepare: ['read', 'peek', 'unknown'],
  mutate: [],
  next: ['publish', 'complete'],
};

/** An event as user code sees it. */
export function eventView(event: TopicEvent, topic: string): { [key: string]: Json } {
  return {
    id: event.id,
    topic,
    messageId: event.messageId,
    title: event.title,
    payload: event.payload,
    attempt: event.state.attempt,
    createdAt: event.createdAt,
  };
}

function nameOf(call: HostCall): string {
  return call.op === 'tool' ? `${call.namespace}.${call.method}` : `ctx.${call.op}`;
}

function flaws(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`)
    .join('; ');
}

function logicError(message: string): HostReply {
  return { type: 'error', message, errorType: 'logic' };
}
