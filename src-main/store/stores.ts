// All stores on one database, made together.
import { AutomationLeaseStore } from '#main/store/automation-leases.ts';
import { AutomationRunStore } from '#main/store/automation-runs.ts';
import { ConsumerWakeStore } from '#main/store/consumer-wakes.ts';
import { DeviceStore } from '#main/store/devices.ts';
import { EventStore } from '#main/store/events.ts';
import { GrantStore } from '#main/store/grants.ts';
import { HandlerRunStore } from '#main/store/handler-runs.ts';
import { HandlerStateStore } from '#main/store/handler-state.ts';
import { HookStore } from '#main/store/hooks.ts';
import { IdempotencyKeyStore } from '#main/store/idempotency-keys.ts';
import { IncidentStore } from '#main/store/incidents.ts';
import { InputChainStore } from '#main/store/input-chain.ts';
import { IntentStore } from '#main/store/intents.ts';
import { LaneValidationStore } from '#main/store/lane-validation.ts';
import { LineageStore } from '#main/store/lineages.ts';
import { MergedRowStore } from '#main/store/merged-rows.ts';
import { MutationStore } from '#main/store/mutations.ts';
import { OutboxStore } from '#main/store/outbox.ts';
import { OldHistoryStore } from '#main/store/old-history.ts';
import { OldInputStore } from '#main/store/old-inputs.ts';
import { OwnershipStore } from '#main/store/ownership.ts';
import { PeerCursorStore } from '#main/store/peer-cursors.ts';
import { PeerStore } from '#main/store/peers.ts';
import { ProducerScheduleStore } from '#main/store/producer-schedules.ts';
import { ResolutionStore } from '#main/store/resolutions.ts';
import { RunnerJobStore } from '#main/store/runner-jobs.ts';
import { RunnerLauncherStore } from '#main/store/runner-launcher.ts';
import { RunnerRepoStore } from '#main/store/runner-repos.ts';
import { RunContextStore } from '#main/store/run-contexts.ts';
import { RunStateStore } from '#main/store/run-state.ts';
import { ScriptRunStore } from '#main/store/script-runs.ts';
import { ScriptStore } from '#main/store/scripts.ts';
import { SettingsStore } from '#main/store/settings.ts';
import { SideEffectStore } from '#main/store/side-effects.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { TopicStore } from '#main/store/topics.ts';
import { TriggerEventStore } from '#main/store/trigger-events.ts';
import { WorkflowActivityStore } from '#main/store/workflow-activity.ts';
import { WorkflowFileStore } from '#main/store/workflow-files.ts';
import { WorkflowStore } from '#main/store/workflows.ts';

export interface Stores {
  readonly settings: SettingsStore;
  readonly workflows: WorkflowStore;
  readonly scripts: ScriptStore;
  readonly scriptRuns: ScriptRunStore;
  readonly runContexts: RunContextStore;
  readonly laneValidation: LaneValidationStore;
  readonly runState: RunStateStore;
  readonly topics: TopicStore;
  readonly events: EventStore;
  readonly handlerRuns: HandlerRunStore;
  readonly mutations: MutationStore;
  readonly handlerState: HandlerStateStore;
  readonly resolutions: ResolutionStore;
  readonly producerSchedules: ProducerScheduleStore;
  readonly consumerWakes: ConsumerWakeStore;
  readonly grants: GrantStore;
  readonly workflowFiles: WorkflowFileStore;
  readonly workflowActivity: WorkflowActivityStore;
  readonly lineages: LineageStore;
  readonly peerCursors: PeerCursorStore;
  readonly devices: DeviceStore;
  readonly peers: PeerStore;
  readonly ownership: OwnershipStore;
  readonly intents: IntentStore;
  readonly incidents: IncidentStore;
  readonly mergedRows: MergedRowStore;
  readonly oldHistory: OldHistoryStore;
  readonly oldInputs: OldInputStore;
  readonly runnerJobs: RunnerJobStore;
  readonly runnerLauncher: RunnerLauncherStore;
  readonly runnerRepos: RunnerRepoStore;
  readonly triggerEvents: TriggerEventStore;
  readonly automationRuns: AutomationRunStore;
  readonly automationLeases: AutomationLeaseStore;
  readonly inputChain: InputChainStore;
  readonly sideEffects: SideEffectStore;
  readonly outbox: OutboxStore;
  readonly hooks: HookStore;
  readonly idempotencyKeys: IdempotencyKeyStore;
}

export function createStores(context: StoreContext): Stores {
  const settings = new SettingsStore(context);
  const ownership = new OwnershipStore(context);
  const workflows = new WorkflowStore(context, ownership);
  const scripts = new ScriptStore(context);
  const scriptRuns = new ScriptRunStore(context);
  const runState = new RunStateStore(context);
  return {
    settings,
    workflows,
    scripts,
    scriptRuns,
    runContexts: new RunContextStore({
      context,
      workflows,
      scripts,
      scriptRuns,
      runState,
      settings,
    }),
    laneValidation: new LaneValidationStore(context),
    runState,
    topics: new TopicStore(context),
    events: new EventStore(context),
    handlerRuns: new HandlerRunStore(context),
    mutations: new MutationStore(context),
    handlerState: new HandlerStateStore(context),
    resolutions: new ResolutionStore(context),
    producerSchedules: new ProducerScheduleStore(context),
    consumerWakes: new ConsumerWakeStore(context),
    grants: new GrantStore(context),
    workflowFiles: new WorkflowFileStore(context),
    workflowActivity: new WorkflowActivityStore(context),
    lineages: new LineageStore(context),
    peerCursors: new PeerCursorStore(context),
    devices: new DeviceStore(context),
    peers: new PeerStore(context),
    ownership,
    intents: new IntentStore(context),
    incidents: new IncidentStore(context),
    mergedRows: new MergedRowStore(context),
    oldHistory: new OldHistoryStore(context),
    oldInputs: new OldInputStore(context),
    runnerJobs: new RunnerJobStore(context),
    runnerLauncher: new RunnerLauncherStore(context),
    runnerRepos: new RunnerRepoStore(context),
    triggerEvents: new TriggerEventStore(context),
    automationRuns: new AutomationRunStore(context),
    automationLeases: new AutomationLeaseStore(context),
    inputChain: new InputChainStore(context),
    sideEffects: new SideEffectStore(context),
    outbox: new OutboxStore(context),
    hooks: new HookStore(context),
    idempotencyKeys: new IdempotencyKeyStore(context),
  };
}
