// A fake host: answers calls from rows that the test sets, records the calls, and sends the feed
// messages the test asks for.
import type { ConnectionState, HostClient } from '#shared/api/client.ts';
import type { CallName, RunView, WorkflowView } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { ChangedRows, FeedMessage } from '#shared/api/feed.ts';
import type { EventView, HandlerRunDetail, MutationView } from '#shared/api/handler-runs.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import type { OutsideHostView } from '#shared/api/outside-hosts.ts';
import type { StartCheckView } from '#shared/api/start-check.ts';
import type { RunEventRecord } from '#shared/run-log.ts';
import { emptySnapshot, projectRunEvents } from '#shared/run-log.ts';
import { createFeedConnection, type FeedConnection } from '#renderer/client/feed-connection.ts';
import { newestIdFirst } from '#renderer/stores/list/list-rows.ts';
import { newestSessionFirst } from '#renderer/stores/sessions-store.ts';

export interface Asked {
  readonly name: CallName;
  readonly input: Readonly<Record<string, unknown>>;
}

export class FakeHost {
  workflows: WorkflowView[] = [];
  /** Sessions. Their log is in `events`. */
  runs: RunView[] = [];
  events: RunEventRecord[] = [];
  handlerRuns: HandlerRunDetail[] = [];
  inbox: InboxItem[] = [];
  inputs: InputDetail[] = [];
  hosts: OutsideHostView[] = [];
  tokens: string[] = [];
  asking: StartCheckView['asking'] = null;
  /** Errors to throw, by call. */
  readonly failures = new Map<CallName, ApiError>();
  readonly asked: Asked[] = [];
  /** Calls in flight, by name and input; `mostInFlight` is the highest count seen for one key. */
  readonly inFlight = new Map<string, number>();
  mostInFlight = 0;
  readonly feed: FeedConnection;
  #listener: (message: FeedMessage) => void = () => undefined;
  #state: (state: ConnectionState) => void = () => undefined;
  #held: (() => void)[] | null = null;

  readonly client: HostClient = {
    call: async (name, input) => {
      this.asked.push({ name, input });
      const thing = JSON.stringify([name, input]);
      const now = (this.inFlight.get(thing) ?? 0) + 1;
      this.inFlight.set(thing, now);
      this.mostInFlight = Math.max(this.mostInFlight, now);
      try {
        if (this.#held) await new Promise<void>((go) => this.#held?.push(go));
        const failure = this.failures.get(name);
        if (failure) throw failure;
        return this.#answer(name, input) as never;
      } finally {
        this.inFlight.set(thing, (this.inFlight.get(thing) ?? 1) - 1);
      }
    },
    subscribe: (onMessage, onState) => {
      this.#listener = onMessage;
      this.#state = onState ?? (() => undefined);
      return () => undefined;
    },
  };

  constructor(now?: () => number) {
    this.feed = createFeedConnection(this.client, now);
    this.feed.start();
  }

  say(message: FeedMessage): void {
    this.#listener(message);
  }

  changed(table: ChangedRows['table'], ids: ChangedRows['ids']): void {
    this.say({ type: 'changes', changes: [{ table, ids }] });
  }

  connection(state: ConnectionState): void {
    this.#state(state);
  }

  /** Makes calls wait until `release`. */
  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const go of held) go();
  }

  /** The calls since this was last called. */
  takeAsked(): string[] {
    return this.asked.splice(0).map(({ name, input }) => {
      const id = input['runId'] ?? input['handlerRunId'] ?? input['workflowId'];
      return typeof id === 'string' && name.endsWith('.get') ? `${name} ${id}` : name;
    });
  }

  #answer(name: CallName, input: Readonly<Record<string, unknown>>): unknown {
    switch (name) {
      case 'workflows.list':
        return { workflows: this.workflows, next: null };
      case 'workflows.get':
        return found(this.workflows.find(({ id }) => id === input['workflowId']));
      case 'inputs.get':
        return found(this.inputs.find(({ id }) => id === input['inputId']));
      case 'outbox.list':
        return { rows: [], next: null };
      case 'runs.list':
        return this.#page(input);
      case 'runs.get':
        return found(this.runs.find(({ id }) => id === input['runId']));
      case 'runs.start':
        return { run: found(this.runs[0]), created: true };
      case 'runs.finish':
        return { run: found(this.runs[0]), duplicate: false };
      case 'workflows.add':
        return { workflowId: 'w', version: 'v', warnings: [] };
      case 'workflows.activate':
        return { version: 'v' };
      case 'workflows.pause':
      case 'workflows.resume':
      case 'workflows.runNow':
      case 'inbox.answer':
        return {};
      case 'handlerRuns.list':
        return this.#handlerRunPage(input);
      case 'handlerRuns.get':
        return found(this.handlerRuns.find(({ id }) => id === input['handlerRunId']));
      case 'handlerRuns.cancel':
        return { outcome: 'canceling' };
      case 'events.rerun':
        return found(this.handlerRuns.flatMap(({ eventsIn }) => eventsIn)[0]);
      case 'startCheck.get':
        return { asking: this.asking };
      case 'startCheck.goOn':
        this.asking = null;
        return {};
      case 'hosts.list':
      case 'hosts.retry':
      case 'hosts.setLimit':
        return { hosts: this.hosts };
      case 'tokens.names':
        return { names: this.tokens };
      case 'tokens.add':
        return { token: 'the-new-token' };
      case 'inbox.list':
        return { items: this.inbox };
      case 'inbox.resolve':
        return aDecision({ resolution: input['resolution'] as never });
      case 'runs.snapshot':
        return projectRunEvents(emptySnapshot(String(input['runId'])), this.events);
      case 'runs.fetchEvents':
        return {
          events: this.events
            .filter(({ runSeq }) => runSeq > Number(input['afterSeq']))
            .slice(0, Number(input['limit'])),
        };
      case 'host.info':
        return {
          version: '0.1.0',
          schemaVersion: 1,
          deviceId: 'device',
          spaceId: 'space',
          dataDir: 'data',
          startedAt: 0,
          pid: 1,
        };
      default:
        throw new Error(`The fake host doesn’t implement ${name}.`);
    }
  }

  #page(input: Readonly<Record<string, unknown>>): { runs: RunView[]; next: string | null } {
    const { after, limit, workflowId, status } = input;
    const all = this.runs
      .filter((run) => workflowId === undefined || run.workflowId === workflowId)
      .filter((run) => status === undefined || run.status === status)
      .toSorted(newestSessionFirst);
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const runs = all.slice(from, from + Number(limit));
    return { runs, next: runs.length === limit ? (runs.at(-1)?.id ?? null) : null };
  }

  #handlerRunPage(input: Readonly<Record<string, unknown>>): unknown {
    const { after, limit, workflowId, scriptRunId } = input;
    const runs = this.handlerRuns
      .filter((run) => workflowId === undefined || run.workflowId === workflowId)
      .filter((run) => scriptRunId === undefined || run.scriptRunId === scriptRunId)
      .filter(({ id }) => typeof after !== 'string' || id < after)
      .toSorted(newestIdFirst)
      .slice(0, Number(limit));
    return { runs, next: runs.length === limit ? (runs.at(-1)?.id ?? null) : null };
  }
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw new ApiError({ type: 'not_found', message: 'Not found.' });
  return row;
}

export function aWorkflow(id: string, more: Partial<WorkflowView> = {}): WorkflowView {
  return {
    id,
    name: `Workflow ${id}`,
    status: 'active',
    statusReason: null,
    isBusy: false,
    owner: { state: 'owned', deviceId: 'd', isThisDevice: true, epoch: 1, toDeviceId: null },
    openQuestions: 0,
    scriptId: 'script',
    draftScriptId: null,
    path: null,
    producers: [],
    topics: [],
    leftBehind: [],
    createdAt: 1,
    updatedAt: 1,
    recent: [],
    failing: [],
    cost: { today: 0, total: 0 },
    completes: 'drained',
    needsHuman: { remind: '1d', within: '30d', otherwise: 'timed_out' },
    waitsFor: [],
    heldBecause: null,
    activeRunId: null,
    ...more,
  };
}

/** An input that succeeded, with one run. */
export function anInput(id: string, more: Partial<InputDetail> = {}): InputDetail {
  const at = 1_000;
  return {
    id,
    workflowId: 'w',
    workflowName: 'Invoices',
    kind: 'manual',
    source: 'person',
    type: 'manual',
    externalId: id,
    title: `Input ${id}`,
    triggerId: 'manual',
    dedupKey: id,
    correlationId: id,
    bytes: 2,
    deviceId: 'device',
    receivedAt: at,
    cost: 0,
    run: {
      id: `run of ${id}`,
      status: 'succeeded',
      statusReason: null,
      failureStage: null,
      stopping: null,
      settled: null,
      queuedAt: at,
      enrichmentStartedAt: at,
      enrichmentCompletedAt: at,
      executionStartedAt: at,
      promptSentAt: at,
      completedAt: at,
      lastActivityAt: at,
      deadlineAt: at,
      wait: null,
      sessionId: null,
      completionId: null,
    },
    payload: null,
    unavailable: null,
    hasRawPayload: false,
    redacted: [],
    sources: [],
    artifacts: { enrichment: null, sources: null, policy: null, completion: null },
    completion: null,
    history: [],
    sideEffects: [],
    steps: [],
    hasMoreSteps: false,
    ...more,
  };
}

/** `createdAt` is the number in the id, so `run 7` is newer than `run 6`. */
export function aRun(id: string, more: Partial<RunView> = {}): RunView {
  return {
    id,
    workflowId: 'w',
    workflowName: `Workflow of ${id}`,
    lane: 'main',
    status: 'running',
    trigger: 'manual',
    startRequestId: 'manual:x',
    scriptId: null,
    runStartSha: 'a'.repeat(64),
    runEndSha: null,
    flags: { sandboxPreview: false, daemonRunIdStrict: true },
    sandboxId: null,
    terminalEventId: null,
    error: null,
    deviceId: 'device',
    createdAt: Number(/\d+/.exec(id)?.[0] ?? 0),
    endedAt: null,
    handlerRunCount: 0,
    ...more,
  };
}

export function aRecord(runSeq: number, more: Partial<RunEventRecord> = {}): RunEventRecord {
  return {
    eventId: crypto.randomUUID(),
    eventType: 'step.completed',
    emittedAt: '2026-01-05T12:00:00.000Z',
    runId: 'run 1',
    tenantId: 'space',
    projectId: 'w',
    environmentId: 'main',
    planId: 'plan',
    planVersion: '1',
    engineAttemptId: 1,
    logicalAttemptId: 1,
    idempotencyKey: 'f'.repeat(64),
    stepId: `step ${runSeq}`,
    runSeq,
    persistedAt: '2026-01-05T12:00:00.000Z',
    ...more,
  };
}

/** A committed consumer run with an applied effect. Ids sort by time. */
export function aHandlerRun(id: string, more: Partial<HandlerRunDetail> = {}): HandlerRunDetail {
  return {
    id,
    workflowId: 'w',
    workflowName: 'Invoices',
    scriptRunId: 'session',
    handlerType: 'consumer',
    handlerName: 'pay',
    title: `Pay ${id}`,
    phase: 'committed',
    resumePhase: null,
    reason: null,
    error: null,
    errorType: null,
    effect: 'applied',
    retryOf: null,
    retriedBy: null,
    deviceId: 'device',
    startedAt: 1_000,
    endedAt: 2_000,
    cost: 0,
    timeline: {
      prepared: 1_100,
      mutating: 1_200,
      mutated: 1_700,
      emitting: 1_800,
      committed: 2_000,
    },
    inputState: null,
    outputState: null,
    data: null,
    logs: [],
    eventsIn: [],
    eventsOut: [],
    inputs: [],
    chain: [],
    history: [],
    mutation: aMutation(),
    ...more,
  };
}

export function aMutation(more: Partial<MutationView> = {}): MutationView {
  return {
    id: 'mutation',
    status: 'applied',
    tool: 'http',
    method: 'post',
    params: { url: 'https://bank.example/payments' },
    effectId: 'effect',
    title: 'POST bank.example/payments',
    result: null,
    error: null,
    reconcileAttempts: 0,
    nextReconcileAt: null,
    canCheck: false,
    lookByHand: 'Look at bank.example.',
    cost: 0,
    createdAt: 1_200,
    updatedAt: 1_700,
    resolutions: [],
    ...more,
  };
}

export function aDecision(
  more: Partial<MutationView['resolutions'][number]> = {},
): MutationView['resolutions'][number] {
  return {
    id: 'decision',
    resolution: 'user_assert_applied',
    status: 'done',
    message: null,
    note: null,
    deviceId: 'device',
    createdAt: 3_000,
    ...more,
  };
}

/** The effect of run 1, with an unknown outcome. */
export function anUnknownEffect(
  more: Partial<MutationView> = {},
): Extract<InboxItem, { type: 'unknown_effect' }> {
  return {
    type: 'unknown_effect',
    wait: null,
    workflowId: 'w',
    workflowName: 'Invoices',
    at: 1_700,
    handlerRunId: 'run 1',
    handlerName: 'pay',
    title: 'Pay invoice 7',
    deviceId: 'device',
    mutation: aMutation({ status: 'indeterminate', error: 'The reply was lost.', ...more }),
  };
}

export function anEvent(id: string, more: Partial<EventView> = {}): EventView {
  return {
    id,
    topic: 'invoice',
    messageId: id,
    title: `Event ${id}`,
    payload: null,
    status: 'consumed',
    attempt: 1,
    createdAt: 1,
    ...more,
  };
}
