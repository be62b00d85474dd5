// Several devices of one person: one engine and database each, and one shared outside. The test decides
// when they exchange changes.
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore } from '#test/support/open-store.ts';
import { createOutside, type Outside } from '#test/support/fake-outside.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

export interface Devices {
  readonly all: readonly EngineUnderTest[];
  readonly outside: Outside;
  readonly workflowId: string;
}

/** The first device adds the workflow; all devices receive it and have its grants. */
export async function startDevices(
  names: readonly string[],
  options: {
    readonly canReconcile?: boolean;
    readonly isOfThisDevice?: boolean;
    readonly source?: string;
  } = {},
): Promise<Devices> {
  const outside = createOutside({ canReconcile: false, ...options });
  const all = names.map((name) => startEngine({ store: openStore(name), outside }));
  const [first] = all as [EngineUnderTest];
  const workflowId = await first.add(options.source ?? POSTER);
  for (const device of all) device.store.grants.set(workflowId, 'outside', {});
  for (const device of all.slice(1)) await send(first, device);
  return { all, outside, workflowId };
}

/** Sends all changes of one device to another, and lets that one work on them. */
export async function send(from: EngineUnderTest, to: EngineUnderTest): Promise<void> {
  exchange(from.store.db, to.store.db);
  await to.idle();
}

/** Enough rounds for all changes to arrive, including those that the engines make in response. */
export async function exchangeAll(all: readonly EngineUnderTest[]): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    for (const from of all) for (const to of all) if (from !== to) await send(from, to);
  }
}

/** Stores a pending event without waking the engine. */
export function put({ store }: EngineUnderTest, workflowId: string, messageId: string): string {
  const topic = store.topics.ensure(workflowId, 'in');
  const event = store.events.publish({ topic, messageId, title: messageId, payload: messageId });
  if (event.type === 'payload_too_large') throw new Error(event.message);
  return event.eventId;
}

/** Holds the answer of the next call until the test releases it. */
export function holdAnswer(outside: Outside): {
  readonly arrived: Promise<void>;
  answer(): void;
} {
  let answer = (): void => undefined;
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  outside.answers.push(() => {
    arrive();
    return new Promise((resolve) => {
      answer = () => resolve({ type: 'applied', result: { late: true } });
    });
  });
  return { arrived, answer: () => answer() };
}
