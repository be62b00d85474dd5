// The types behind `import { workflow } from 'holdfast'`. The context of each phase contains only what
// that phase may do, so the compiler reports what the engine would refuse.
import type { MutationTools, ReadTools, Uses } from '#shared/authoring/tool-types.ts';

export type * from '#shared/authoring/tool-types.ts';

/**
 * Values of your own code: state, data, payloads and results. They come back as plain JSON. Give their
 * type (`prepared: Prepared<Invoice>`, `ctx.peek<Invoice>(…)`) to have them checked.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would make every author cast
type Yours = any;

export interface Moment {
  /** When the phase started, in milliseconds since 1970 UTC. */
  readonly now: number;
  readonly runId: string;
}

export interface NewEvent {
  /** Unique within the topic: publishing the same id again publishes the same event. */
  readonly id: string;
  /** Shown to people. */
  readonly title: string;
  readonly payload?: Yours;
  /** For producers: the id of its input, as returned by `ctx.registerInput`. */
  readonly input?: string;
}

/** An input, whose progress people can follow. */
export interface NewInput {
  /** Its origin: a mailbox, a folder, a service. */
  readonly source: string;
  readonly type: string;
  /** Its id at the source. Registering the same id again returns the existing input. */
  readonly id: string;
  /** Shown to people. */
  readonly title: string;
  /** The topic of its first event, which is redacted and normalized. Without it, publish with `input`. */
  readonly topic?: string;
  readonly payload?: Yours;
}

export interface RegisteredInput {
  readonly id: string;
  /** False if the input existed before. */
  readonly isNew: boolean;
}

export type Publish = (topic: string, event: NewEvent) => Promise<null>;

export interface TopicEvent<Payload = Yours> {
  readonly id: string;
  readonly topic: string;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Payload;
  /** Starts at 1; each rerun increases it. */
  readonly attempt: number;
  readonly createdAt: number;
}

export interface ArtifactFacts {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly bytes: number | null;
  readonly sha256: string;
  readonly createdAt: number;
}

/** `json` is set for JSON, `text` for JSON and other text, `base64` for everything else. */
export interface ReadArtifact extends ArtifactFacts {
  readonly json?: Yours;
  readonly text?: string;
  readonly base64?: string;
}

/** One of `text`, `json` and `base64`. */
export interface NewArtifact {
  /** A plain file name. */
  readonly name: string;
  /** Its media type, from the kind of content by default. */
  readonly type?: string;
  readonly text?: string;
  readonly json?: Yours;
  readonly base64?: string;
}

export interface WrittenArtifact {
  readonly sha256: string;
  readonly bytes: number;
  /** The number of inputs it belongs to; 0 for events that were published by hand. */
  readonly inputs: number;
}

type EventOrId = string | { readonly id: string };

/** The artifacts of the inputs that led to an event. */
export interface ArtifactReads {
  /** Oldest first. */
  list(event: EventOrId): Promise<ArtifactFacts[]>;
  /** The latest artifact with this name; null if there is none. */
  read(event: EventOrId, name: string): Promise<ReadArtifact | null>;
}

export interface ProducerContext extends Moment {
  readonly tools: ReadTools;
  readonly publish: Publish;
  readonly registerInput: (input: NewInput) => Promise<RegisteredInput>;
  readonly artifacts: {
    /** Attaches an artifact to an input that this run registered, with its commit. */
    write(artifact: NewArtifact & { readonly input: string }): Promise<WrittenArtifact>;
  };
}

export interface PrepareContext extends Moment {
  readonly tools: ReadTools;
  /** The oldest pending events of a topic that this consumer subscribes to. */
  readonly peek: <Payload = Yours>(
    topic: string,
    options?: { readonly limit?: number },
  ) => Promise<TopicEvent<Payload>[]>;
  readonly artifacts: ArtifactReads;
}

export interface MutateContext extends Moment {
  /** Make at most one call, as the last statement. The host continues after it. */
  readonly tools: MutationTools;
}

export interface NextContext extends Moment {
  readonly publish: Publish;
  /** Records the result of the input that this run handles. Later events may still follow. */
  readonly complete: (result: Yours) => Promise<null>;
  readonly artifacts: ArtifactReads & {
    /** Attaches an artifact to the input that this run handles, with its commit. */
    write(artifact: NewArtifact): Promise<WrittenArtifact>;
  };
}

/** The return value of `prepare`. Without reservations, `mutate` is skipped. */
export interface Preparation<Data = Yours> {
  /** The events that this run reserves: peeked events or their ids. */
  readonly reservations?: readonly (string | { readonly id: string })[];
  readonly data?: Data;
  readonly ui?: { readonly title?: string };
  /** When to run again without a new event; limited to 30 s to 24 h from now. */
  readonly wakeAt?: number | string;
}

/** The stored preparation with its reserved events, as the later phases get it. */
export interface Prepared<Data = Yours> {
  readonly reservations: readonly TopicEvent[];
  readonly data: Data;
  readonly ui: { readonly title?: string };
}

/**
 * The outcome of the effect. The result is null in a dry run, and after a person decided that it
 * happened without giving a result. `skipped` means that the outcome is unknown and a person skipped
 * it. `none` means that there was no effect.
 */
export type Outcome<Result = Yours> =
  | { readonly status: 'applied'; readonly result: Result | null }
  | { readonly status: 'skipped' }
  | { readonly status: 'none' };

interface CatchUp {
  /** How to handle times missed while the host was not running; `latest` by default. */
  readonly missed?: 'latest' | 'none' | 'all';
  /** How to handle a time while the previous run is unfinished; `coalesce` by default. */
  readonly overlap?: 'coalesce' | 'skip';
}

export type ScheduleDefinition =
  /** `30s`, `5m`, `1h`, `2d`; at least `10s`. */
  | ({ readonly every: string } & CatchUp)
  /** Minute, hour, day, month, weekday: `0 9 * * 1-5`. The computer's time zone by default. */
  | ({ readonly cron: string; readonly timezone?: string } & CatchUp);

type Returned<T> = T | Promise<T>;

export interface ProducerDefinition {
  readonly schedule: ScheduleDefinition;
  /** How long a slot may wait for the outside: `30m`, `6h`, `2d`. Then it is given up, and the next slot
   * runs normally. Without it, it waits as long as it takes. */
  readonly giveUpAfter?: string;
  readonly publishes?: readonly string[];
  /** Reads from outside and publishes events. Returns the state for the next run. */
  run(ctx: ProducerContext, state: Yours): Returned<Yours>;
}

export interface ConsumerDefinition {
  readonly subscribes: string | readonly string[];
  /** How long an event may wait for the outside: `30m`, `6h`, `2d`. Then it is set aside. Without it, it
   * waits as long as it takes. */
  readonly giveUpAfter?: string;
  readonly publishes?: readonly string[];
  /** Reads, and reserves the events that this run handles. */
  prepare(ctx: PrepareContext, state: Yours): Returned<Preparation | void>;
  /** Makes at most one mutation call. */
  mutate?(ctx: MutateContext, prepared: Prepared): Returned<unknown>;
  /** Publishes the resulting events. Returns the state for the next run. */
  next?(ctx: NextContext, prepared: Prepared, outcome: Outcome): Returned<Yours>;
}

/** How long an input waits for a person. What is missing comes from the settings. */
export interface NeedsHumanDefinition {
  /** When the first reminder comes; the next ones after twice the time each. `1d` by default. */
  readonly remind?: string;
  /** When the input ends if nobody acts: `12h`, `14d`; `30d` by default. */
  readonly within?: string;
  /** How it ends then; `timed_out` by default. An open effect stays open and can still be settled. */
  readonly otherwise?: 'timed_out' | 'failed';
}

export interface HostLimit {
  /** Calls that start per second. 0.1 means one in ten seconds. */
  readonly perSecond?: number;
  /** Calls that run at the same time. */
  readonly concurrent?: number;
}

export interface WorkflowDefinition {
  readonly name: string;
  /** Limits of calls to outside hosts: `{ 'api.example.org': { perSecond: 5, concurrent: 2 } }`. They
   * hold for all workflows of a device while this one is active; the strictest limit counts. */
  readonly limits?: { readonly [host: string]: HostLimit };
  readonly uses?: Uses;
  readonly topics: readonly string[];
  /**
   * The condition on which an input succeeds. `drained`, the default: all work that it caused is done.
   * `explicit`: only `ctx.complete` makes it succeed; if all work ends without it, the input fails.
   */
  readonly completes?: 'drained' | 'explicit';
  readonly needsHuman?: NeedsHumanDefinition;
  readonly producers?: { readonly [name: string]: ProducerDefinition };
  readonly consumers?: { readonly [name: string]: ConsumerDefinition };
}

export function workflow(definition: WorkflowDefinition): WorkflowDefinition {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    throw new TypeError('workflow() takes one object: { name, topics, producers, consumers }.');
  }
  return definition;
}
