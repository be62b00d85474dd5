// One workflow of a scenario on one host: what a person does with it and what they see of it.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Host } from '#test/blackbox/harness/host.ts';
import { Mismatch } from '#test/blackbox/harness/expect.ts';
import { untilFound, untilHolds } from '#test/blackbox/harness/until.ts';
import type {
  EffectView,
  EventView,
  InboxItem,
  InputDetail,
  InputView,
  RunDetail,
  RunView,
  SessionView,
  WorkflowView,
} from '#test/blackbox/harness/views.ts';

export interface Published {
  readonly eventId: string;
  readonly outcome: 'published' | 'replaced' | 'kept';
}

export type Item<Type extends InboxItem['type']> = InboxItem & { readonly type: Type };
export type UnknownEffect = Item<'unknown_effect'> & { readonly mutation: EffectView };

const TERMINAL = ['succeeded', 'failed', 'canceled', 'timed_out', 'skipped', 'needs_human'];

export class Workflow {
  readonly host: Host;
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly #patienceMs: number;

  constructor(host: Host, id: string, name: string, file: string, patienceMs: number) {
    this.host = host;
    this.id = id;
    this.name = name;
    this.file = file;
    this.#patienceMs = patienceMs;
  }

  /** The same workflow, seen from another device. */
  on(host: Host): Workflow {
    return new Workflow(host, this.id, this.name, this.file, this.#patienceMs);
  }

  publish(id: string, payload: unknown, topic = 'in'): Promise<Published> {
    const event = { workflowId: this.id, topic, messageId: id, title: id, payload };
    return this.host.call('events.publish', event);
  }

  /** An input by hand, as the window starts one. */
  async start(payload: unknown, { key = randomUUID(), topic = 'in' } = {}): Promise<InputView> {
    const { input } = await this.host.call<{ input: InputView }>('inputs.start', {
      requestId: key,
      workflowId: this.id,
      topic,
      title: key,
      payload,
    });
    return input;
  }

  view(): Promise<WorkflowView> {
    return this.host.call('workflows.get', { workflowId: this.id });
  }

  async runs(): Promise<readonly RunView[]> {
    const input = { workflowId: this.id, limit: 200 };
    return (await this.host.call<{ runs: RunView[] }>('handlerRuns.list', input)).runs;
  }

  run(id: string): Promise<RunDetail> {
    return this.host.call('handlerRuns.get', { handlerRunId: id });
  }

  /** What the workflow's own code printed in its newest committed run. */
  async printed(): Promise<readonly string[]> {
    const [run] = await this.untilCommitted(1);
    const { logs } = await this.run(run?.id ?? '');
    return logs.map(({ text }) => text);
  }

  async sessions(): Promise<readonly SessionView[]> {
    const input = { workflowId: this.id, limit: 200 };
    return (await this.host.call<{ runs: SessionView[] }>('runs.list', input)).runs;
  }

  async events(topic = 'in'): Promise<readonly EventView[]> {
    const input = { workflowId: this.id, topic, limit: 200 };
    return (await this.host.call<{ events: EventView[] }>('events.list', input)).events;
  }

  async inbox(): Promise<readonly InboxItem[]> {
    const { items } = await this.host.call<{ items: InboxItem[] }>('inbox.list', {});
    return items.filter(({ workflowId }) => workflowId === this.id);
  }

  async inputs(): Promise<readonly InputView[]> {
    const input = { workflowId: this.id, limit: 200 };
    return (await this.host.call<{ inputs: InputView[] }>('inputs.list', input)).inputs;
  }

  input(id: string): Promise<InputDetail> {
    return this.host.call('inputs.get', { inputId: id });
  }

  /** The line of `holdfast list` about it. */
  async listed(): Promise<string> {
    const lines = (await this.host.says('list')).split('\n');
    const line = lines.find((text) => text.includes(` ${this.name} `));
    if (line === undefined) throw new Mismatch('holdfast list', `a line about ${this.name}`, lines);
    return line;
  }

  /** Saves other text into its file; `activate` makes it the version that runs. */
  save(source: string): void {
    writeFileSync(this.file, source);
  }

  async change(source: string): Promise<void> {
    this.save(source);
    await this.host.says('add', this.file);
    await this.host.says('activate', this.id);
  }

  /** The person's decision about an unknown effect, by the command line. */
  resolve(effect: EffectView, ...way: readonly string[]): Promise<string> {
    return this.host.says('resolve', effect.id, '--as', ...way);
  }

  untilCommitted(count: number, handler?: string): Promise<readonly RunView[]> {
    return untilHolds(
      `${count} runs of "${handler ?? this.name}" are committed`,
      this.#patienceMs,
      async () => (await this.runs()).filter((run) => isCommitted(run, handler)),
      (runs) => runs.length >= count,
    );
  }

  /** Nothing is pending or reserved. */
  untilDone(topic = 'in'): Promise<readonly EventView[]> {
    return untilHolds(
      `every event in "${topic}" is handled`,
      this.#patienceMs,
      () => this.events(topic),
      (events) => events.every(({ status }) => status === 'consumed' || status === 'skipped'),
    );
  }

  untilView(what: string, holds: (view: WorkflowView) => boolean): Promise<WorkflowView> {
    return untilHolds(what, this.#patienceMs, () => this.view(), holds);
  }

  untilRuns(
    what: string,
    holds: (runs: readonly RunView[]) => boolean,
  ): Promise<readonly RunView[]> {
    return untilHolds(what, this.#patienceMs, () => this.runs(), holds);
  }

  untilItem<Type extends InboxItem['type']>(type: Type): Promise<Item<Type>> {
    return untilFound(`the inbox has an item "${type}"`, this.#patienceMs, async () => {
      const items = await this.inbox();
      const found = items.find((item): item is Item<Type> => item.type === type);
      return found ? { found } : { saw: { inbox: items, runs: await this.runs() } };
    });
  }

  async untilUnknown(): Promise<UnknownEffect> {
    return (await this.untilItem('unknown_effect')) as UnknownEffect;
  }

  /** Until it has ended or needs a person. */
  untilInput(id: string, ...statuses: readonly string[]): Promise<InputDetail> {
    const wanted = statuses.length === 0 ? TERMINAL : statuses;
    return untilHolds(
      `the input is ${wanted.join(' or ')}`,
      this.#patienceMs,
      () => this.input(id),
      ({ run }) => wanted.includes(run.status),
    );
  }
}

function isCommitted({ phase, handlerName }: RunView, handler: string | undefined): boolean {
  return phase === 'committed' && (handler === undefined || handlerName === handler);
}
