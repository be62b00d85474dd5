// One workflow under test: what a test can do to it, and what it can see of it.
import { randomUUID } from 'node:crypto';
import { HookUnderTest, type Signs } from '#main/testing/hook-under-test.ts';
import { failure, Lives, type SetUp } from '#main/testing/restartable-host.ts';
import type { Reached } from '#main/testing/outside.ts';
import {
  eventsSeen,
  toEffectSeen,
  toInputSeen,
  toRunSeen,
  type EffectSeen,
  type EventSeen,
  type InputSeen,
  type RunSeen,
} from '#main/testing/test-views.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { parseDuration } from '#shared/authoring/duration.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import { AUTOMATION_RUN_STATUSES, isUnfinished } from '#shared/machines/automation-run.ts';
import type { Resolution } from '#shared/machines/mutation.ts';

/** What a person says of an effect whose outcome nobody knows; `send-again` may make it two. */
export type Way = 'happened' | 'did-not-happen' | 'check' | 'send-again' | 'skip';

const WAYS: { readonly [way in Way]: Resolution } = {
  happened: 'user_assert_applied',
  'did-not-happen': 'user_assert_failed',
  check: 'user_retry',
  'send-again': 'user_retry',
  skip: 'user_skip',
};

const UNFINISHED: readonly string[] = AUTOMATION_RUN_STATUSES.filter(isUnfinished);

export class WorkflowTest {
  readonly #lives: Lives;
  #workflowId = '';
  #requests = 0;
  #closed: Promise<void> | undefined;

  constructor(setUp: SetUp) {
    this.#lives = new Lives(setUp);
  }

  /** Notices that the workflow showed, in order. */
  get notices(): readonly { readonly title: string; readonly body: string }[] {
    return this.#lives.notices;
  }

  get now(): number {
    return this.#lives.clock.now();
  }

  /** Adds a workflow file, or a changed version of it, and lets it do what there is to do. */
  async add(path: string): Promise<void> {
    const { workflowId } = await this.#lives.call('workflows.add', { path });
    this.#workflowId = workflowId;
    await this.settled();
  }

  /** An event by hand. Without an id it is a new one each time. */
  async publish(
    topic: string,
    event: { readonly id?: string; readonly title?: string; readonly payload?: unknown } = {},
  ): Promise<void> {
    const messageId = event.id ?? this.#request('event');
    await this.#later();
    await this.#lives.call('events.publish', {
      workflowId: this.#workflowId,
      topic,
      messageId,
      title: event.title ?? messageId,
      payload: (event.payload ?? null) as Json,
    });
    await this.settled();
  }

  /** A door for webhooks, into `topic` where the workflow has more than one that it could mean. */
  async hook(
    options: {
      readonly topic?: string;
      readonly signs?: Signs;
      readonly dedup?: CallInput<'hooks.create'>['dedup'];
    } = {},
  ): Promise<HookUnderTest> {
    const { hook, secret } = await this.#lives.call('hooks.create', {
      requestId: this.#request('hook'),
      workflowId: this.#workflowId,
      name: 'test',
      auth: { kind: options.signs ?? 'bearer' },
      ...(options.topic === undefined ? {} : { topic: options.topic }),
      ...(options.dedup === undefined ? {} : { dedup: options.dedup }),
    });
    return new HookUnderTest(this.#receiver(), hook, secret);
  }

  /** Runs a producer now; its schedule stays. */
  async run(producer: string): Promise<void> {
    const requestId = this.#request('run');
    await this.#lives.call('workflows.runNow', {
      workflowId: this.#workflowId,
      producer,
      requestId,
    });
    await this.settled();
  }

  /** Lets time pass, `'90s'`, `'1h'`, `'2d'` or in milliseconds, and all that becomes due be done. */
  async pass(time: string | number): Promise<void> {
    const ms = typeof time === 'number' ? time : parseDuration(time);
    await this.#lives.clock.pass(ms, () => this.#lives.settledAfterInstant(this.#workflowId));
    await this.settled();
  }

  /** Lets all be done that can be done now. */
  settled(): Promise<void> {
    return this.#lives.settled();
  }

  /** Pulls the plug now, and starts again. */
  async crash(): Promise<void> {
    await this.#lives.die();
    await this.settled();
  }

  /** Says what became of the one effect whose outcome is unknown. */
  async resolve(
    way: Way,
    more: { readonly result?: unknown; readonly note?: string } = {},
  ): Promise<void> {
    const [item, second] = await this.inbox('unknown_effect');
    if (!item || second) {
      throw failure(`There is ${item ? 'more than one' : 'no'} effect whose outcome is unknown.`);
    }
    await this.#lives.call('inbox.resolve', {
      requestId: randomUUID(),
      mutationId: item.mutation.id,
      resolution: WAYS[way],
      confirmed: way === 'send-again',
      ...(more.result === undefined ? {} : { result: more.result as Json }),
      ...(more.note === undefined ? {} : { note: more.note }),
    });
    await this.settled();
  }

  /** Answers the one open question. */
  async answer(answer: string): Promise<void> {
    const [question, second] = await this.inbox('question');
    if (!question || second) {
      throw failure(`There is ${question ? 'more than one' : 'no'} open question.`);
    }
    await this.#lives.call('inbox.answer', { mutationId: question.mutationId, answer });
    await this.settled();
  }

  async setSecret(name: string, value: string): Promise<void> {
    await this.#lives.call('secrets.set', { name, value });
  }

  /** Takes up what waits for a grant, a secret or a mended script. */
  async resume(): Promise<void> {
    await this.#lives.call('workflows.resume', { workflowId: this.#workflowId });
    await this.settled();
  }

  /** Any other call of the API, as `holdfast call` makes it. */
  async call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> {
    const output = await this.#lives.call(name, input);
    await this.settled();
    return output;
  }

  /** What waits for a person; of one kind, where a kind is named. */
  async inbox<Type extends InboxItem['type'] = InboxItem['type']>(
    type?: Type,
  ): Promise<Extract<InboxItem, { type: Type }>[]> {
    const { items } = await this.#lives.call('inbox.list', {});
    return items.filter(
      (item): item is Extract<InboxItem, { type: Type }> =>
        type === undefined || item.type === type,
    );
  }

  /** Every run, in the order in which they began. */
  async runs(handler?: string): Promise<RunSeen[]> {
    const runs = (await this.#runs()).map(toRunSeen);
    return runs.filter((run) => handler === undefined || run.handler === handler);
  }

  /** What the ledger has, in the order in which the runs began. */
  async effects(call?: string): Promise<EffectSeen[]> {
    const effects = (await this.#runs()).flatMap(toEffectSeen);
    return effects.filter((effect) => call === undefined || effect.call === call);
  }

  /** What truly got to the outside, whatever the ledger knows of it. */
  reached(call?: string): Reached[] {
    return this.#lives.outside.reached.filter((one) => call === undefined || one.call === call);
  }

  events(topic?: string): EventSeen[] {
    return eventsSeen(this.#lives.host, this.#workflowId, topic);
  }

  /** What came in, by hooks, by schedules, by hand, the oldest first, and what became of it. */
  async inputs(): Promise<InputSeen[]> {
    const page = { workflowId: this.#workflowId, limit: MAX_PAGE_SIZE };
    const { inputs } = await this.#lives.call('inputs.list', page);
    const told = inputs
      .toReversed()
      .map(({ id }) => this.#lives.call('inputs.get', { inputId: id }));
    return (await Promise.all(told)).map(toInputSeen);
  }

  /** What the handler returned the last time. */
  state(handler: string): Json {
    return this.#lives.host.stores.handlerState.get(this.#workflowId, handler)?.state ?? null;
  }

  /** What the workflow printed, run by run. */
  async logs(): Promise<string[]> {
    return (await this.#runs()).flatMap(({ logs }) => logs.map(({ text }) => text));
  }

  /** No effect got to the outside more than once. */
  assertNothingTwice(): void {
    const ids = this.#lives.outside.reached.map(({ effectId }) => effectId);
    const twice = this.#lives.outside.reached.filter(
      ({ effectId }, index) => ids.indexOf(effectId) !== index,
    );
    if (twice.length === 0) return;
    throw failure(`It happened more than once: ${twice.map(({ call }) => call).join(', ')}.`);
  }

  /** Every run and every input has ended, every event was taken, and nobody is asked anything. */
  async assertDone(): Promise<void> {
    const open = (await this.runs()).filter(
      ({ phase }) => !['committed', 'failed'].includes(phase),
    );
    const waiting = this.events().filter(({ status }) => ['pending', 'reserved'].includes(status));
    const asked = await this.inbox();
    const inputs = (await this.inputs()).filter(({ status }) => UNFINISHED.includes(status));
    const left = [
      ...open.map(
        ({ handler, phase, error }) => `the run of ${handler} is ${phase} (${error ?? 'no error'})`,
      ),
      ...waiting.map(({ topic, id, status }) => `${topic} ${id} is ${status}`),
      ...inputs.map(({ title, status }) => `the input "${title}" is ${status}`),
      ...asked.map(({ type }) => `the inbox has: ${type}`),
    ];
    if (left.length > 0) throw failure(`It is not done: ${left.join('; ')}.`);
  }

  /** Ends everything; fails where a fault was asked for that never came. */
  close(): Promise<void> {
    return (this.#closed ??= this.#lives.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #runs(): Promise<HandlerRunDetail[]> {
    const page = { workflowId: this.#workflowId, limit: MAX_PAGE_SIZE };
    const { runs } = await this.#lives.call('handlerRuns.list', page);
    return Promise.all(
      runs.toReversed().map(({ id }) => this.#lives.call('handlerRuns.get', { handlerRunId: id })),
    );
  }

  #receiver(): ConstructorParameters<typeof HookUnderTest>[0] {
    return {
      now: () => this.now,
      address: () => this.#lives.hookDoor(),
      later: () => this.#later(),
      settled: () => this.settled(),
    };
  }

  /** Of the same instant things would have no order; nobody is that fast. */
  #later(): Promise<void> {
    return this.#lives.clock.pass(1, () => this.settled());
  }

  #request(what: string): string {
    this.#requests += 1;
    return `${what}-${this.#requests}`;
  }
}
