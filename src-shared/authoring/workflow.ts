// What authors of workflows see: `import { workflow } from 'holdfast'`. Each phase has a context
// with just what that phase may do, so that the compiler says what the engine would refuse.
import type { MutationTools, ReadTools, Uses } from '#shared/authoring/tool-types.ts';

export type * from '#shared/authoring/tool-types.ts';

/**
 * What your own code put there: state, data, payloads, results. It comes back as plain JSON. Say
 * what it is (`prepared: Prepared<Invoice>`, `ctx.peek<Invoice>(…)`) to have it checked.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would make every author cast
type Yours = any;

export interface Moment {
  /** When the phase began, in milliseconds since 1970 UTC. */
  readonly now: number;
  readonly runId: string;
}

export interface NewEvent {
  /** Unique within the topic: published again, it is the same event. */
  readonly id: string;
  /** What a person sees. */
  readonly title: string;
  readonly payload?: Yours;
  /** Producers: the input that it belongs to, as `ctx.registerInput` gave it. */
  readonly input?: string;
}

/** Something that came in: people ask what became of it. */
export interface NewInput {
  /** Where it comes from: a mailbox, a folder, a service. */
  readonly source: string;
  readonly type: string;
  /** What it is called there: registered again, it is the same input. */
  readonly id: string;
  /** What a person sees. */
  readonly title: string;
  /** Where its first event goes, redacted and normalised; else publish with `input`. */
  readonly topic?: string;
  readonly payload?: Yours;
}

export interface RegisteredInput {
  readonly id: string;
  /** False: it came in before. */
  readonly isNew: boolean;
}

export type Publish = (topic: string, event: NewEvent) => Promise<null>;

export interface TopicEvent<Payload = Yours> {
  readonly id: string;
  readonly topic: string;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Payload;
  /** 1 at first; higher when a person had it run again. */
  readonly attempt: number;
  readonly createdAt: number;
}

export interface ProducerContext extends Moment {
  readonly tools: ReadTools;
  readonly publish: Publish;
  readonly registerInput: (input: NewInput) => Promise<RegisteredInput>;
}

export interface PrepareContext extends Moment {
  readonly tools: ReadTools;
  /** The oldest pending events of a topic that this consumer subscribes to. */
  readonly peek: <Payload = Yours>(
    topic: string,
    options?: { readonly limit?: number },
  ) => Promise<TopicEvent<Payload>[]>;
}

export interface MutateContext extends Moment {
  /** One call, as the last act: the host takes over from there. */
  readonly tools: MutationTools;
}

export interface NextContext extends Moment {
  readonly publish: Publish;
  /** Says with what the input ended that this run is about, whatever may still follow. */
  readonly complete: (result: Yours) => Promise<null>;
}

/** What `prepare` returns. Without reservations there is nothing to do, and `mutate` is skipped. */
export interface Preparation<Data = Yours> {
  /** Events that this run takes: as they were peeked, or their ids. */
  readonly reservations?: readonly (string | { readonly id: string })[];
  readonly data?: Data;
  readonly ui?: { readonly title?: string };
  /** When to look again though nothing new came; brought into 30 s to 24 h. */
  readonly wakeAt?: number | string;
}

/** What the later phases get: the preparation as it was kept, with the events that were reserved. */
export interface Prepared<Data = Yours> {
  readonly reservations: readonly TopicEvent[];
  readonly data: Data;
  readonly ui: { readonly title?: string };
}

/**
 * What came of the effect. The result is null in a dry run, and where a person said "it happened"
 * without saying with what result. `skipped`: nobody knows, and a person let it go. `none`: there
 * was nothing to do.
 */
export type Outcome<Result = Yours> =
  | { readonly status: 'applied'; readonly result: Result | null }
  | { readonly status: 'skipped' }
  | { readonly status: 'none' };

interface CatchUp {
  /** What becomes of times that passed while nothing ran; `latest` by default. */
  readonly missed?: 'latest' | 'none' | 'all';
  /** What becomes of a time while the last run is not over; `coalesce` by default. */
  readonly overlap?: 'coalesce' | 'skip';
}

export type ScheduleDefinition =
  /** `30s`, `5m`, `1h`, `2d`; at least `10s`. */
  | ({ readonly every: string } & CatchUp)
  /** Minute, hour, day, month, weekday: `0 9 * * 1-5`. The time zone of the machine by default. */
  | ({ readonly cron: string; readonly timezone?: string } & CatchUp);

type Returned<T> = T | Promise<T>;

export interface ProducerDefinition {
  readonly schedule: ScheduleDefinition;
  readonly publishes?: readonly string[];
  /** Looks outside and publishes; returns the state for the next time. */
  run(ctx: ProducerContext, state: Yours): Returned<Yours>;
}

export interface ConsumerDefinition {
  readonly subscribes: string | readonly string[];
  readonly publishes?: readonly string[];
  /** Reads, and takes the events that this run is about. */
  prepare(ctx: PrepareContext, state: Yours): Returned<Preparation | void>;
  /** Makes at most one call that acts. */
  mutate?(ctx: MutateContext, prepared: Prepared): Returned<unknown>;
  /** Publishes what follows; returns the state for the next time. */
  next?(ctx: NextContext, prepared: Prepared, outcome: Outcome): Returned<Yours>;
}

export interface WorkflowDefinition {
  readonly name: string;
  readonly uses?: Uses;
  readonly topics: readonly string[];
  readonly producers?: { readonly [name: string]: ProducerDefinition };
  readonly consumers?: { readonly [name: string]: ConsumerDefinition };
}

export function workflow(definition: WorkflowDefinition): WorkflowDefinition {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new TypeError('workflow() takes one object: { name, topics, producers, consumers }.');
  }
  return definition;
}
