// Answers the host calls of one phase and enforces which calls the phase may make. A broken rule
// fails the phase as a logic error before anything is sent. Reads are answered here; effects and
// output are only collected.
import { ArtifactCalls } from '#main/engine/runs/artifact-calls.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { HostCall, HostReply, Prefetched } from '#main/sandbox/sandbox.ts';
import type { EventStore, TopicEvent } from '#main/store/tables/events.ts';
import type { Spent } from '#main/tools/call-cost.ts';
import type { WaitsFor } from '#main/tools/tool.ts';
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
import { MAX_COMPLETION_BYTES, MAX_PEEK, MAX_REGISTERED_INPUTS } from '#shared/limits.ts';
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
  readonly context: EngineContext;
  readonly tools: BoundTools;
  /** The tools for a read of the outside, after the phase has peeked at these events. */
  readonly toolsForRead: (
    peeked: readonly TopicEvent[],
  ) => Promise<BoundTools | { readonly type: 'unusable'; readonly error: string }>;
  /** The inputs of the events that the run reserved. */
  readonly inputs: readonly string[];
  readonly maxPublishes: number;
  readonly events: EventStore;
  readonly isKnownInput: (inputId: string) => boolean;
  /** Called before each read of the outside, with the events that the phase has seen. */
  readonly beforeRead?: BeforeRead | undefined;
  /** Called with the cost of each read that cost something. */
  readonly onSpent?: ((tool: string, microdollars: number) => void) | undefined;
}

/** Sentences in the log of a run. A phase can read thousands of times. */
const MAX_COST_PROBLEMS = 20;

export type BeforeRead = (peeked: readonly TopicEvent[]) => Promise<unknown>;

/** Collects the output of a phase: published events, its effect, registered inputs, completion. */
export class PhaseCalls {
  readonly published: Published[] = [];
  readonly peeked: TopicEvent[] = [];
  /** Input id to input. */
  readonly registered = new Map<string, RegisterInput>();
  mutation: MutationCall | undefined;
  completion: { readonly result: Json } | undefined;
  /** The broken rule. The phase has failed, even if user code caught the error. */
  violation: string | undefined;
  /** The cost of the reads that have ended, in microdollars. */
  cost = 0;
  /** Why the cost of a read is unknown. */
  readonly costProblems: string[] = [];
  /** The longest wait for a host that kept a read from being made. */
  waitsFor: WaitsFor | undefined;
  readonly artifacts: ArtifactCalls;
  readonly #options: PhaseCallsOptions;
  /** Events read before the phase started, for its first peek. */
  #prefetched: { readonly topic: string; readonly events: readonly TopicEvent[] } | undefined;

  constructor(options: PhaseCallsOptions) {
    this.#options = options;
    const { context, workflowId, inputs, phase } = options;
    const isRegistered = (id: string): boolean => this.registered.has(id);
    this.artifacts = new ArtifactCalls({
      context,
      workflowId,
      inputs,
      isRegistered: phase === 'run' ? isRegistered : null,
    });
  }

  get tools(): BoundTools {
    return this.#options.tools;
  }

  /** Answers to the likely calls of the phase, sent with its start so that it need not wait. */
  prefetch(): Prefetched {
    const { phase, subscribes, publishes, events, script } = this.#options;
    if (phase === 'next' || phase === 'run') return { publishes };
    const [topic, ...others] = subscribes;
    if (phase !== 'prepare' || topic === undefined || others.length > 0) return {};
    const found = events.peek(script.topicIds.get(topic) ?? '', 2);
    this.#prefetched = { topic, events: found.slice(0, 1) };
    const views = this.#prefetched.events.map((event) => eventView(event, topic));
    return { peek: { topic, events: views, isAll: found.length < 2 } };
  }

  /** Call if the phase ended without reporting its calls: it may have used the prefetched event. */
  assumePeeked(): void {
    if (this.peeked.length === 0) this.peeked.push(...(this.#prefetched?.events ?? []));
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
      if (mutations.length > 1) return 'mutate() made more than one effect; only one is allowed.';
      const other = calls.find((call) => this.#kindOf(call) !== 'mutation');
      if (other) return `mutate() may only make its one effect; it can't call ${nameOf(other)}.`;
      return undefined;
    }
    if (mutations[0])
      return `${phase}() can't make an effect. Call ${nameOf(mutations[0])} in mutate().`;
    const forbidden = calls.find((call) => !ALLOWED[phase].includes(this.#kindOf(call)));
    return forbidden && `${phase}() can't call ${nameOf(forbidden)}.`;
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
        return call.deferred ? this.#recordPeek(call.topic) : this.#peek(call.topic, call.limit);
      case 'publish':
        return this.#publish(call.topic, call.event);
      case 'complete':
        return this.#complete(call.result);
      case 'registerInput':
        return this.#registerInput(call.input);
      case 'artifacts.list':
        return this.artifacts.list(call.event);
      case 'artifacts.read':
        return this.artifacts.read(call.event, call.name);
      case 'artifacts.write':
        return this.artifacts.write(call.artifact);
      default:
        return unreachable(call);
    }
  }

  #complete(result: Json): HostReply {
    if (Buffer.byteLength(JSON.stringify(result)) > MAX_COMPLETION_BYTES) {
      return logicError(
        `The result for ctx.complete() is larger than ${MAX_COMPLETION_BYTES} bytes. Write it to a file and pass the path.`,
      );
    }
    this.completion ??= { result };
    return { type: 'value', value: null };
  }

  /** The input is written with the run's commit. Its id is deterministic, so it is known now. */
  #registerInput(given: Json): HostReply {
    const parsed = registerInputSchema.safeParse(given);
    if (!parsed.success)
      return logicError(
        `ctx.registerInput() got an invalid input: ${describeIssues(parsed.error)}. It was not registered.`,
      );
    const input = parsed.data;
    if (input.topic !== undefined && !this.#options.publishes.includes(input.topic)) {
      return logicError(undeclaredTopic(input.topic));
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
    await this.#options.beforeRead?.(this.peeked);
    const tools = await this.#options.toolsForRead(this.peeked);
    if ('error' in tools) return { type: 'error', message: tools.error, errorType: 'permission' };
    const outcome = await tools.read(call.namespace, call.method, call.params);
    this.#count(call.namespace, outcome);
    if (outcome.type === 'ok') return { type: 'value', value: outcome.result };
    const { error, errorType, waitsFor } = outcome;
    if (waitsFor && isLater(waitsFor, this.waitsFor)) this.waitsFor = waitsFor;
    return { type: 'error', message: error, errorType };
  }

  #count(tool: string, { cost = 0, costProblem }: Spent): void {
    this.cost += cost;
    if (cost > 0) this.#options.onSpent?.(tool, cost);
    if (costProblem !== undefined && this.costProblems.length < MAX_COST_PROBLEMS) {
      this.costProblems.push(costProblem);
    }
  }

  #peek(topicName: string, limit: number): HostReply {
    const { subscribes, events, script } = this.#options;
    if (!subscribes.includes(topicName)) {
      return logicError(`This consumer doesn't subscribe to "${topicName}".`);
    }
    const found = events.peek(
      script.topicIds.get(topicName) ?? '',
      Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PEEK),
    );
    this.peeked.push(...found);
    return { type: 'value', value: found.map((event) => eventView(event, topicName)) };
  }

  /** User code peeked at the prefetched events. */
  #recordPeek(topic: string): HostReply {
    if (this.#prefetched?.topic === topic) this.peeked.push(...this.#prefetched.events);
    return { type: 'value', value: null };
  }

  #publish(topicName: string, event: Json): HostReply {
    if (!this.#options.publishes.includes(topicName)) {
      return logicError(undeclaredTopic(topicName));
    }
    const { maxPublishes } = this.#options;
    if (this.published.length >= maxPublishes) {
      return logicError(`A run may publish at most ${maxPublishes} events.`);
    }
    const parsed = publishSchema.safeParse(event);
    if (!parsed.success)
      return logicError(
        `ctx.publish() got an invalid event: ${describeIssues(parsed.error)}. It was not published.`,
      );
    const { input } = parsed.data;
    if (input !== undefined && !this.registered.has(input)) {
      return logicError(
        `This run didn't register the input "${input}". The event was not published.`,
      );
    }
    this.published.push({ topic: topicName, ...parsed.data });
    return { type: 'value', value: null };
  }
}

const ALLOWED: { readonly [phase in PhaseName]: readonly string[] } = {
  run: ['read', 'publish', 'registerInput', 'artifacts.write', 'unknown'],
  prepare: ['read', 'peek', 'artifacts.list', 'artifacts.read', 'unknown'],
  mutate: [],
  next: ['publish', 'complete', 'artifacts.list', 'artifacts.read', 'artifacts.write'],
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

/** A wait without a known end is the longest. */
function isLater({ until }: WaitsFor, other: WaitsFor | undefined): boolean {
  return other === undefined || (until ?? Infinity) > (other.until ?? Infinity);
}

function nameOf(call: HostCall): string {
  return call.op === 'tool' ? `${call.namespace}.${call.method}` : `ctx.${call.op}`;
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}

function undeclaredTopic(topic: string): string {
  return `This handler doesn't list "${topic}" in "publishes". Add it there.`;
}

function logicError(message: string): HostReply {
  return { type: 'error', message, errorType: 'logic' };
}
