// The events that one run reserves, as prepare() read them, and its prepare checkpoint. Both are
// pinned for the whole run.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { eventView } from '#main/engine/runs/phase-calls.ts';
import type { Prepared } from '#main/engine/runs/prepare-result.ts';
import type { HandlerToRun } from '#main/engine/runs/run-phase.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import { MAX_INPUTS_OF_RUN } from '#shared/limits.ts';

interface Reserved {
  readonly eventId: string;
  readonly attempt: number;
  readonly topic: string;
}

/** The content of `prepare_result`. */
export interface Checkpoint {
  readonly reservations: readonly Reserved[];
  readonly data: Json;
  readonly ui: { readonly title?: string };
  readonly wakeAt: number | null;
}

export class RunEvents {
  readonly #context: EngineContext;
  readonly #handler: HandlerToRun;
  readonly #events = new Map<string, TopicEvent>();

  constructor(context: EngineContext, handler: HandlerToRun) {
    this.#context = context;
    this.#handler = handler;
  }

  /**
   * Pins what a prepare() peeked, instead of what an earlier one did. Of an event that it peeked
   * twice the first reading counts: a later one that differs shows that the event has changed.
   */
  pin(events: readonly TopicEvent[]): void {
    this.#events.clear();
    for (const event of events.toReversed()) this.#events.set(event.id, event);
  }

  get(id: string | undefined): TopicEvent | undefined {
    if (id === undefined) return undefined;
    const known = this.#events.get(id) ?? this.#context.stores.events.get(id);
    if (known) this.#events.set(id, known);
    return known;
  }

  /** The checkpoint of a prepare result, or why its events can't be reserved. */
  checkpoint(prepared: Prepared): Checkpoint | string {
    const { script, name } = this.#handler;
    const topics = new Map(
      (script.config.consumers[name]?.subscribes ?? []).map((topic) => [
        script.topicIds.get(topic),
        topic,
      ]),
    );
    const reservations: Reserved[] = [];
    for (const id of prepared.reservations) {
      const event = this.get(id);
      const topic = event && topics.get(event.topicId);
      if (!event || topic === undefined) {
        return `prepare() reserved "${id}", which is not an event of a topic that this consumer subscribes to.`;
      }
      if (event.state.status !== 'pending') {
        return `prepare() reserved "${id}", which is not pending. Reserve only events that ctx.peek() returned in this run.`;
      }
      reservations.push({ eventId: id, attempt: event.state.attempt, topic });
    }
    const inputs = inputsOfEvents(reservations.flatMap(({ eventId }) => this.get(eventId) ?? []));
    if (inputs.length > MAX_INPUTS_OF_RUN) {
      return `prepare() reserved events of ${inputs.length} inputs; the limit is ${MAX_INPUTS_OF_RUN}. Nothing was sent. Reserve fewer events at a time.`;
    }
    return {
      reservations,
      data: prepared.data,
      ui: prepared.title === null ? {} : { title: prepared.title },
      wakeAt: prepared.wakeAt,
    };
  }

  of({ reservations }: Checkpoint): TopicEvent[] {
    return reservations.flatMap(({ eventId }) => this.get(eventId) ?? []);
  }

  /** The `prepared` argument of mutate() and next(). */
  preparedView(checkpoint: Checkpoint): JsonObject {
    const reservations = checkpoint.reservations.flatMap(({ eventId, topic }) => {
      const event = this.get(eventId);
      return event ? [eventView(event, topic)] : [];
    });
    return { reservations, data: checkpoint.data, ui: { ...checkpoint.ui } };
  }
}
