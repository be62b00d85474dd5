// Creates all stores of one database.
import { ArtifactRowStore } from '#main/store/tables/artifacts.ts';
import { AutomationLeaseStore } from '#main/store/tables/automation-leases.ts';
import { AutomationRunStore } from '#main/store/tables/automation-runs.ts';
import { ConsumerWakeStore } from '#main/store/tables/consumer-wakes.ts';
import { DeviceStore } from '#main/store/tables/devices.ts';
import { EventStore } from '#main/store/tables/events.ts';
import { GrantStore } from '#main/store/tables/grants.ts';
import { HandlerRunStore } from '#main/store/tables/handler-runs.ts';
import { HandlerStateStore } from '#main/store/tables/handler-state.ts';
import { HookStore } from '#main/store/tables/hooks.ts';
import { IdempotencyKeyStore } from '#main/store/tables/idempotency-keys.ts';
import { IncidentStore } from '#main/store/tables/incidents.ts';
import { InputChainStore } from '#main/store/queries/input-chain.ts';
import { IntentStore } from '#main/store/tables/intents.ts';
import { LaneValidationStore } from '#main/store/tables/lane-validation.ts';
import { LineageStore } from '#main/store/tables/lineages.ts';
import { MergedRowStore } from '#main/store/tables/merged-rows.ts';
import { MutationStore } from '#main/store/tables/mutations.ts';
import { OutboxStore } from '#main/store/tables/outbox.ts';
import { ArchivableHistoryStore } from '#main/store/queries/archivable-history.ts';
import { ArchivableInputStore } from '#main/store/queries/archivable-inputs.ts';
import { OwnershipStore } from '#main/store/tables/ownership-claims.ts';
import { PeerCursorStore } from '#main/store/tables/peer-cursors.ts';
import { PeerStore } from '#main/store/tables/peers.ts';
import { ProducerScheduleStore } from '#main/store/tables/producer-schedules.ts';
import { RefusedRowStore } from '#main/store/tables/refused-rows.ts';
import { ResolutionStore } from '#main/store/tables/resolutions.ts';
import { RawPayloadStore } from '#main/store/tables/raw-payloads.ts';
import { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import { RunnerLauncherStore } from '#main/store/tables/runner-launcher.ts';
import { RunnerRepoStore } from '#main/store/tables/runner-repos.ts';
import { RunContextStore } from '#main/store/tables/active-sessions.ts';
import { RunStateStore } from '#main/store/tables/run-log.ts';
import { ScriptRunStore } from '#main/store/tables/script-runs.ts';
import { ScriptStore } from '#main/store/tables/scripts.ts';
import { SettingsStore } from '#main/store/tables/settings.ts';
import { SideEffectStore } from '#main/store/tables/side-effects.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { TopicStore } from '#main/store/tables/topics.ts';
import { TriggerEventStore } from '#main/store/tables/trigger-events.ts';
import { WorkflowActivityStore } from '#main/store/queries/workflow-activity.ts';
import { WorkflowCostStore } from '#main/store/tables/workflow-costs.ts';
import { WorkflowFileStore } from '#main/store/tables/workflow-files.ts';
import { WorkflowStore } from '#main/store/tables/workflows.ts';

export type Stores = Readonly<ReturnType<typeof createStores>>;

export function createStores(context: StoreContext) {
  const settings = new SettingsStore(context);
  const ownership = new OwnershipStore(context);
  const workflows = new WorkflowStore(context, ownership);
  const scripts = new ScriptStore(context);
  const scriptRuns = new ScriptRunStore(context);
  const runState = new RunStateStore(context);
  const events = new EventStore(context);
  const handlerRuns = new HandlerRunStore(context);
  const mutations = new MutationStore(context);
  return {
    settings,
    workflows,
    scripts,
    scriptRuns,
    runContexts: new RunContextStore(context, {
      workflows,
      scripts,
      scriptRuns,
      runState,
      settings,
    }),
    laneValidation: new LaneValidationStore(context),
    runState,
    topics: new TopicStore(context),
    events,
    handlerRuns,
    mutations,
    handlerState: new HandlerStateStore(context),
    resolutions: new ResolutionStore(context),
    producerSchedules: new ProducerScheduleStore(context),
    consumerWakes: new ConsumerWakeStore(context, workflows),
    grants: new GrantStore(context),
    workflowFiles: new WorkflowFileStore(context),
    workflowCosts: new WorkflowCostStore(context),
    workflowActivity: new WorkflowActivityStore(context),
    lineages: new LineageStore(context),
    peerCursors: new PeerCursorStore(context),
    devices: new DeviceStore(context),
    peers: new PeerStore(context),
    ownership,
    intents: new IntentStore(context),
    incidents: new IncidentStore(context),
    mergedRows: new MergedRowStore(context),
    refusedRows: new RefusedRowStore(context),
    archivableHistory: new ArchivableHistoryStore(context, { events, handlerRuns, mutations }),
    archivableInputs: new ArchivableInputStore(context),
    runnerJobs: new RunnerJobStore(context),
    runnerLauncher: new RunnerLauncherStore(context),
    runnerRepos: new RunnerRepoStore(context),
    triggerEvents: new TriggerEventStore(context),
    rawPayloads: new RawPayloadStore(context),
    automationRuns: new AutomationRunStore(context),
    artifacts: new ArtifactRowStore(context),
    automationLeases: new AutomationLeaseStore(context),
    inputChain: new InputChainStore(context),
    sideEffects: new SideEffectStore(context),
    outbox: new OutboxStore(context),
    hooks: new HookStore(context),
    idempotencyKeys: new IdempotencyKeyStore(context),
  };
}
