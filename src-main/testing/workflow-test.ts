// One workflow under test: actions and assertions.
import { randomUUID } from 'node:crypto';
import { TestHook, type HookAuthKind } from '#main/testing/test-hook.ts';
import { RestartableHost, testFailure, type TestSetup } from '#main/testing/restartable-host.ts';
import type { ReachedCall } from '#main/testing/outside.ts';
import {
  listEvents,
  toArtifactRecord,
  toEffectRecords,
  toInputRecord,
  toRunRecord,
  type ArtifactRecord,
  type EffectRecord,
  type EventRecord,
  type InputRecord,
  type RunRecord,
} from '#main/testing/test-records.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { parseDuration } from '#shared/authoring/duration.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import { AUTOMATION_RUN_STATUSES, isUnfinished } from '#shared/machines/automation-run.ts';
import type { Resolution } from '#shared/machines/mutation.ts';

/** How a person settles an unknown outcome. `send-again` may make the effect happen twice. */
export type Settlement = 'happened' | 'did-not-happen' | 'check' | 'send-again' | 'skip';

const RESOLUTIONS: { readonly [settlement in Settlement]: Resolution } = {
  happened: 'user_assert_applied',
  'did-not-happen': 'user_assert_failed',
  check: 'user_retry',
  'send-again': 'user_retry',
  skip: 'user_skip',
};

const UNFINISHED: readonly string[] = AUTOMATION_RUN_STATUSES.filter(isUnfinished);

export class WorkflowTest {
  readonly #testHost: RestartableHost;
  #workflowId = '';
  #requests = 0;
  #closed: Promise<void> | undefined;

  constructor(setup: TestSetup) {
    this.#testHost = new RestartableHost(setup);
  }

  /** Notifications of the workflow, in order. */
  get notices(): readonly { readonly title: string; readonly body: string }[] {
    return this.#testHost.notices;
  }

  get now(): number {
    return this.#testHost.clock.now();
  }

  /** Adds a workflow file, or its changed version, and waits until all due work is done. */
  async add(path: string): Promise<void> {
    const { workflowId } = await this.#testHost.call('workflows.add', { path });
    this.#workflowId = workflowId;
    await this.settled();
  }

  /** Publishes an event. Without an id, each call publishes a new one. */
  async publish(
    topic: string,
    event: { readonly id?: string; readonly title?: string; readonly payload?: unknown } = {},
  ): Promise<void> {
    const messageId = event.id ?? this.#requestId('event');
    await this.#later();
    await this.#testHost.call('events.publish', {
      workflowId: this.#workflowId,
      topic,
      messageId,
      title: event.title ?? messageId,
      payload: (event.payload ?? null) as Json,
    });
    await this.settled();
  }

  /** Creates a hook. `topic` is needed if the workflow has more than one entry topic. */
  async hook(
    options: {
      readonly topic?: string;
      readonly signs?: HookAuthKind;
      readonly dedup?: CallInput<'hooks.create'>['dedup'];
    } = {},
  ): Promise<TestHook> {
    const { hook, secret } = await this.#testHost.call('hooks.create', {
      requestId: this.#requestId('hook'),
      workflowId: this.#workflowId,
      name: 'test',
      auth: { kind: options.signs ?? 'bearer' },
      ...(options.topic === undefined ? {} : { topic: options.topic }),
      ...(options.dedup === undefined ? {} : { dedup: options.dedup }),
    });
    return new TestHook(this.#receiver(), hook, secret);
  }

  /** Runs a producer now; its schedule is unchanged. */
  async run(producer: string): Promise<void> {
    const requestId = this.#requestId('run');
    await this.#testHost.call('workflows.runNow', {
      workflowId: this.#workflowId,
      producer,
      requestId,
    });
    await this.settled();
  }

  /** Takes the network of this machine away, or brings it back. This machine itself stays reachable. */
  async network(state: 'offline' | 'online'): Promise<void> {
    this.#testHost.network.setOnline(state === 'online');
    await this.settled();
  }

  /** Takes a host away, as `api.example.org` or `127.0.0.1:8080`, or brings it back. */
  async host(host: string, state: 'down' | 'up'): Promise<void> {
    this.#testHost.network.setDown(host, state === 'down');
    await this.settled();
  }

  /** Advances the clock by `'90s'`, `'1h'`, `'2d'` or milliseconds and does all work that is due. */
  async pass(time: string | number): Promise<void> {
    const ms = typeof time === 'number' ? time : parseDuration(time);
    await this.#testHost.clock.pass(ms, () => this.#testHost.settledAfterInstant(this.#workflowId));
    await this.settled();
  }

  /** Waits until all due work is done. */
  settled(): Promise<void> {
    return this.#testHost.settled();
  }

  /** Crashes the host and starts a new one. */
  async crash(): Promise<void> {
    await this.#testHost.crash();
    await this.settled();
  }

  /** Settles the only effect whose outcome is unknown. */
  async resolve(
    settlement: Settlement,
    more: { readonly result?: unknown; readonly note?: string } = {},
  ): Promise<void> {
    const [item, second] = await this.inbox('unknown_effect');
    if (!item || second) {
      throw testFailure(
        `There is ${item ? 'more than one' : 'no'} effect whose outcome is unknown.`,
      );
    }
    await this.#testHost.call('inbox.resolve', {
      requestId: randomUUID(),
      mutationId: item.mutation.id,
      resolution: RESOLUTIONS[settlement],
      confirmed: settlement === 'send-again',
      ...(more.result === undefined ? {} : { result: more.result as Json }),
      ...(more.note === undefined ? {} : { note: more.note }),
    });
    await this.settled();
  }

  /** Answers the only open question. */
  async answer(answer: string): Promise<void> {
    const [question, second] = await this.inbox('question');
    if (!question || second) {
      throw testFailure(`There is ${question ? 'more than one' : 'no'} open question.`);
    }
    await this.#testHost.call('inbox.answer', { mutationId: question.mutationId, answer });
    await this.settled();
  }

  async setSecret(name: string, value: string): Promise<void> {
    await this.#testHost.call('secrets.set', { name, value });
  }

  /** Resumes runs that wait for a grant, a secret or a fixed script. */
  async resume(): Promise<void> {
    await this.#testHost.call('workflows.resume', { workflowId: this.#workflowId });
    await this.settled();
  }

  /** Makes any API call, as `holdfast call` does. */
  async call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> {
    const output = await this.#testHost.call(name, input);
    await this.settled();
    return output;
  }

  /** Inbox items, optionally of one type. */
  async inbox<Type extends InboxItem['type'] = InboxItem['type']>(
    type?: Type,
  ): Promise<Extract<InboxItem, { type: Type }>[]> {
    const { items } = await this.#testHost.call('inbox.list', {});
    return items.filter(
      (item): item is Extract<InboxItem, { type: Type }> =>
        type === undefined || item.type === type,
    );
  }

  /** All runs in the order they started. */
  async runs(handler?: string): Promise<RunRecord[]> {
    const runs = (await this.#runs()).map(toRunRecord);
    return runs.filter((run) => handler === undefined || run.handler === handler);
  }

  /** The ledger's effects, in the order their runs started. */
  async effects(call?: string): Promise<EffectRecord[]> {
    const effects = (await this.#runs()).flatMap(toEffectRecords);
    return effects.filter((effect) => call === undefined || effect.call === call);
  }

  /** Effects that really reached the outside, whether or not the ledger knows it. */
  reached(call?: string): ReachedCall[] {
    return this.#testHost.outside.reached.filter(
      (reached) => call === undefined || reached.call === call,
    );
  }

  events(topic?: string): EventRecord[] {
    return listEvents(this.#testHost.host, this.#workflowId, topic);
  }

  /** Inputs with their status, oldest first. */
  async inputs(): Promise<InputRecord[]> {
    const page = { workflowId: this.#workflowId, limit: MAX_PAGE_SIZE };
    const { inputs } = await this.#testHost.call('inputs.list', page);
    const records = inputs.toReversed().map(async ({ id: inputId }) => {
      const input = await this.#testHost.call('inputs.get', { inputId });
      return toInputRecord(input, await this.#artifacts(inputId));
    });
    return Promise.all(records);
  }

  async #artifacts(inputId: string): Promise<ArtifactRecord[]> {
    const { artifacts } = await this.#testHost.call('artifacts.list', { inputId });
    const attached = artifacts.filter(({ maker }) => maker !== 'stage');
    const reads = attached.map(async ({ id, name, type }) => {
      const read = await this.#testHost.call('artifacts.read', { inputId, artifactId: id });
      if (read.type === 'unavailable') throw new Error(read.message);
      return toArtifactRecord(name, type, read.base64);
    });
    return Promise.all(reads);
  }

  /** The state that the handler last returned. */
  state(handler: string): Json {
    return this.#testHost.host.stores.handlerState.get(this.#workflowId, handler)?.state ?? null;
  }

  /** Log lines of the workflow, run by run. */
  async logs(): Promise<string[]> {
    return (await this.#runs()).flatMap(({ logs }) => logs.map(({ text }) => text));
  }

  /** Asserts that no effect reached the outside more than once. */
  assertNothingTwice(): void {
    const ids = this.#testHost.outside.reached.map(({ effectId }) => effectId);
    const twice = this.#testHost.outside.reached.filter(
      ({ effectId }, index) => ids.indexOf(effectId) !== index,
    );
    if (twice.length === 0) return;
    throw testFailure(
      `Effects happened more than once: ${twice.map(({ call }) => call).join(', ')}.`,
    );
  }

  /** Asserts that all runs and inputs ended, all events are processed and the inbox is empty. */
  async assertDone(): Promise<void> {
    const open = (await this.runs()).filter(
      ({ phase }) => !['committed', 'failed'].includes(phase),
    );
    const waiting = this.events().filter(({ status }) => ['pending', 'reserved'].includes(status));
    const inboxItems = await this.inbox();
    const inputs = (await this.inputs()).filter(({ status }) => UNFINISHED.includes(status));
    const left = [
      ...open.map(
        ({ handler, phase, error }) => `the run of ${handler} is ${phase} (${error ?? 'no error'})`,
      ),
      ...waiting.map(({ topic, id, status }) => `${topic} ${id} is ${status}`),
      ...inputs.map(({ title, status }) => `the input "${title}" is ${status}`),
      ...inboxItems.map(({ type }) => `the inbox has an item of type ${type}`),
    ];
    if (left.length > 0) throw testFailure(`The workflow is not done: ${left.join('; ')}.`);
  }

  /** Closes everything; fails if a requested fault never fired. */
  close(): Promise<void> {
    return (this.#closed ??= this.#testHost.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #runs(): Promise<HandlerRunDetail[]> {
    const page = { workflowId: this.#workflowId, limit: MAX_PAGE_SIZE };
    const { runs } = await this.#testHost.call('handlerRuns.list', page);
    return Promise.all(
      runs
        .toReversed()
        .map(({ id }) => this.#testHost.call('handlerRuns.get', { handlerRunId: id })),
    );
  }

  #receiver(): ConstructorParameters<typeof TestHook>[0] {
    return {
      now: () => this.now,
      address: () => this.#testHost.hookServerUrl(),
      later: () => this.#later(),
      settled: () => this.settled(),
    };
  }

  /** Advances the clock by 1 ms, because events of the same instant have no order. */
  #later(): Promise<void> {
    return this.#testHost.clock.pass(1, () => this.settled());
  }

  #requestId(kind: string): string {
    this.#requests += 1;
    return `${kind}-${this.#requests}`;
  }
}
