// The composition root: creates and starts all parts in order, and closes them. Plain Node: Electron,
// the headless server, the command line and tests use the same host.
import { availableParallelism, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { ChangeFeed } from '#main/api/transport/change-feed.ts';
import { createDispatch, type Dispatch } from '#main/api/dispatch.ts';
import { createHandlers } from '#main/api/handlers/all-handlers.ts';
import { WorkflowFileEditor } from '#main/authoring/workflow-file-editor.ts';
import { openRunnerTokens, type RunnerTokens } from '#main/boundary/runner-tokens.ts';
import { LogLevel, logLevelOf } from '#main/observe/log-level.ts';
import { openApiToken, type ApiToken } from '#main/boundary/token.ts';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { Engine } from '#main/engine/engine.ts';
import { StartGate } from '#main/engine/start-gate.ts';
import { appVersion } from '#main/platform/app-version.ts';
import { asDiskFull, openDataFolder, type DataFolder } from '#main/data-folder/data-folder.ts';
import type { Desktop } from '#main/platform/desktop.ts';
import { hostVersions } from '#main/api/views/host-versions.ts';
import { systemNetwork, type NetworkSource } from '#main/platform/network.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { ArtifactLibrary } from '#main/inputs/artifact-library.ts';
import { ArtifactStore } from '#main/inputs/artifacts.ts';
import { deleteRawPayloadKey } from '#main/inputs/raw-payload-vault.ts';
import { createInputs, type InputsParts } from '#main/inputs/inputs.ts';
import type { RateLimits } from '#main/inputs/rate-limit.ts';
import { LOG_FILE } from '#main/host/log.ts';
import { createObservation, type Observation } from '#main/observe/observation.ts';
import { traceConfig, type TraceConfig } from '#main/observe/trace-config.ts';
import { createSample } from '#main/practice/sample.ts';
import { runnerConfig, type RunnerConfig } from '#main/runner/config.ts';
import type { NetworkIsolation } from '#main/runner/network-isolation.ts';
import { createRunnerRest, type RunnerRest } from '#main/runner/rest-routes.ts';
import { createRunner, type Runner } from '#main/runner/runner.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { createMasker, type Masker } from '#main/secrets/masker.ts';
import { withoutInternalSecrets } from '#main/secrets/internal-secrets.ts';
import { openSecretStore, type Cipher } from '#main/secrets/secret-store.ts';
import { DeviceLinks, type ListenAddress } from '#main/sync/link/device-links.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import { createSyncContext, type SyncContext } from '#main/sync/session/sync-context.ts';
import { DeviceSync } from '#main/sync/device-sync.ts';
import { createFolderEndpoint } from '#main/sync/folder/folder-endpoint.ts';
import { createSpaceKeyExchange, deleteSpaceKey } from '#main/sync/space-key.ts';
import type { Tools } from '#main/tools/check-call.ts';
import type { Notifier } from '#main/tools/notify.ts';
import { Backups } from '#main/upkeep/backups.ts';
import { Retention } from '#main/upkeep/retention.ts';
import { createTools } from '#main/tools/registry.ts';
import { hostSettings } from '#main/tools/outside-hosts/host-settings.ts';
import { NetworkWatch } from '#main/tools/outside-hosts/network-watch.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { createToolBox } from '#main/tools/tool-box.ts';
import { withGuardedTimers } from '#main/platform/guarded-timers.ts';
import type { Clock } from '#shared/clock.ts';
import type { IdSource } from '#shared/ids.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';

/** One core stays free for the host itself. */
const MAX_SANDBOX_THREADS = 4;

function sandboxThreads(): number {
  return Math.min(Math.max(availableParallelism() - 1, 1), MAX_SANDBOX_THREADS);
}

/** Id in the change feed for whether this device asks its peers before it runs anything. */
const START_CHECK_ROW = 'start-check';

/** How long a stop waits for runs in progress. */
const STOP_GRACE_MS = 3000;

export interface HostOptions {
  readonly dataDir: string;
  /** Folder outside of `dataDir` for the second copy of the high-water mark. */
  readonly stateDir?: string;
  /** Called after the folder is locked, so that no log is written to another host's folder. */
  readonly createLog: (masker: Masker) => Logger;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** False: the host answers calls and runs nothing. For a single command. */
  readonly runsWorkflows?: boolean;
  /** Shows a notification. Without a notifier it goes to the log. */
  readonly notifier?: Notifier;
  readonly desktop?: Desktop;
  /** Data folder to read secrets from, if not `dataDir`; for dry runs. */
  readonly secretsDir?: string;
  /** The system keychain. */
  readonly cipher?: Cipher;
  /** Address to listen on for other devices. */
  readonly links?: ListenAddress;
  /** Called at each durable step of the engine; crash tests kill the process there. */
  readonly probe?: (point: string) => void;
  /** Overrides the environment. */
  readonly runner?: Partial<RunnerConfig>;
  /** Replaces how scripts run without a network; for tests. */
  readonly isolation?: NetworkIsolation;
  /** How long a call waits for its turn at an outside host before its run ends. The testing kit sets 0,
   * because its clock does not move while something runs. */
  readonly turnWaitMs?: number;
  /** Reports the network state of this machine; by default from the operating system. */
  readonly network?: NetworkSource;
  /** Overrides the default rate limits of hooks. */
  readonly hookRate?: Partial<RateLimits>;
  readonly trace?: TraceConfig;
  /** Wraps the tools; the testing kit injects faults here. */
  readonly tools?: (tools: Tools) => Tools;
  /** A shared sandbox, which the host does not close. */
  readonly sandbox?: Sandbox;
}

export interface Host {
  readonly folder: DataFolder;
  readonly stores: Stores;
  readonly engine: Engine;
  readonly runner: Runner;
  readonly runnerRest: RunnerRest;
  readonly inputs: InputsParts;
  readonly feed: ChangeFeed;
  readonly token: ApiToken;
  /** Named tokens of the runner's REST API. */
  readonly runnerTokens: RunnerTokens;
  /** Pairing, and the links to paired devices. */
  readonly links: DeviceLinks;
  readonly startedAt: number;
  readonly observation: Observation;
  readonly log: Logger;
  /** Call when the network may be back: retries the work that waits for it. */
  readonly retryOutside: () => void;
  /** Handles the API calls of every transport. */
  readonly dispatch: Dispatch;
  /** Lets runs in progress reach a safe point, then closes everything. */
  close(): Promise<void>;
  /** Simulates a killed process: nothing is written afterwards. */
  kill(): Promise<void>;
}

export function createHost(options: HostOptions): Host {
  try {
    return openHost(options);
  } catch (error) {
    throw asDiskFull(options.dataDir, error);
  }
}

function openHost(options: HostOptions): Host {
  const realClock = options.clock ?? systemClock;
  const clock = withGuardedTimers(realClock, (error) =>
    log.error({ err: error }, 'a timer failed; the host goes on'),
  );
  const ids = options.ids ?? createSystemIds(clock);
  // Read before the folder is locked: an invalid setting throws.
  const config = { ...runnerConfig(options.dataDir, process.env), ...options.runner };
  const trace = options.trace ?? traceConfig(process.env);
  const levelFromEnvironment = logLevelOf(process.env);
  const folder = openDataFolder({
    dir: options.dataDir,
    clock,
    ids,
    cipher: options.cipher,
    stateDir: options.stateDir,
  });
  const masker = createMasker();
  const log = options.createLog(masker);
  const { db, identity, space } = folder;
  if (identity.renewed) {
    log.warn({ deviceId: identity.deviceId }, `new device identity: ${identity.renewed}`);
  }
  const store = {
    db,
    clock,
    ids,
    deviceId: identity.deviceId,
    /** A getter, because joining another space changes it. */
    get spaceId() {
      return space.id;
    },
  };
  const stores = createStores(store);
  const logLevel = new LogLevel({
    log,
    settings: stores.settings,
    file: join(folder.dir, LOG_FILE),
    fromEnvironment: levelFromEnvironment,
  });
  stores.lineages.open();
  stores.devices.ensureOwn(identity.keyHash, machineName());
  const observation = createObservation({
    store,
    stores,
    log,
    version: appVersion(),
    trace,
    correlationIdOf: (id) => stores.triggerEvents.get(id)?.correlationId,
  });
  const secrets = openSecretStore({
    dataDir: options.secretsDir ?? folder.dir,
    masker,
    cipher: options.cipher,
  });
  if (identity.renewed && options.secretsDir === undefined) {
    const former = Promise.all([deleteSpaceKey(secrets), deleteRawPayloadKey(secrets)]);
    former.catch((error: unknown) =>
      log.error({ err: error }, 'could not remove the keys of the former device'),
    );
  }
  const userSecrets = withoutInternalSecrets(secrets);
  const stopping = new AbortController();
  const sandbox = options.sandbox ?? createSandbox({ workers: sandboxThreads() });
  const runner = createRunner({
    config,
    stores,
    store,
    masker,
    secret: (name) => userSecrets.get(name),
    log,
    isolation: options.isolation,
  });
  const defaultTools = createTools({
    runner,
    notifier: options.notifier ?? (async (notice) => log.info({ notice }, 'notification')),
    dataDir: folder.dir,
    // A workflow that can write the registry could run any program.
    excludedFolders: [dirname(config.registryPath), config.logDir],
  });
  const hosts = new OutsideHosts({
    clock,
    random: Math.random,
    turnWaitMs: options.turnWaitMs,
    ...hostSettings(stores),
  });
  const network = new NetworkWatch({ hosts, clock, source: options.network ?? systemNetwork });
  const tools = createToolBox({
    hosts,
    tools: options.tools?.(defaultTools) ?? defaultTools,
    secret: (name) => userSecrets.get(name),
    masker,
    clock,
    signal: stopping.signal,
  });
  const artifacts = new ArtifactLibrary({
    files: new ArtifactStore({ dataDir: folder.dir, clock }),
    stores,
    peers: {
      fetch: ({ runId, sha256, deviceId }) => sync.fetchArtifact(runId, sha256, deviceId),
      isConnected: (deviceId) => sync.isConnected(deviceId),
      nameOf: (deviceId) => stores.devices.get(deviceId)?.name ?? 'another device',
    },
    deviceId: identity.deviceId,
    onFetched: (runId) => db.changes.notify('automation_runs', runId),
    log,
  });
  const engine = new Engine({
    stores,
    artifacts,
    store,
    sandbox,
    tools,
    hosts,
    log,
    random: Math.random,
    probe: options.probe ?? (() => undefined),
    observer: observation.observer,
  });
  const gate = new StartGate({
    engine,
    peers: () => stores.peers.paired().map(({ deviceId }) => deviceId),
    wasUnclean: folder.wasUnclean,
    // Don't process inputs before the peers were asked whether they were already processed.
    onStarted: () => inputs.pipeline.start(),
    onChange: () => db.changes.notify('devices', START_CHECK_ROW),
  });
  const inputs = createInputs({
    engine,
    artifacts,
    secrets,
    masker,
    rate: options.hookRate,
    metrics: observation.metrics,
  });
  const library = new WorkflowLibrary(engine);
  const sample = createSample(library, folder.dir);
  const syncContext = (): SyncContext =>
    createSyncContext({
      ...store,
      stores,
      log,
      sharedArtifact: (runId, sha256) => artifacts.shared(runId, sha256),
    });
  const sync = new DeviceSync({
    context: syncContext,
    settings: stores.settings,
    onChange: (deviceId) => db.changes.notify('devices', deviceId),
    onState: (deviceId, state) => gate.session(deviceId, state),
    onPeerKnowsMore: (deviceId, had) => gate.peerKnowsMore(deviceId, had),
    onLive: () =>
      void artifacts
        .fetchWanted()
        .catch((error: unknown) =>
          log.error({ err: error }, 'could not fetch artifacts from another device'),
        ),
  });
  observation.gaugeByState('holdfast_sync_sessions', 'Sync sessions, by state.', () =>
    sync.counts(),
  );
  const links = new DeviceLinks({
    identity,
    store,
    stores,
    space,
    spaceKey: createSpaceKeyExchange(secrets),
    onLink: (link) => sync.begin(link),
    random: Math.random,
    log,
    listenOn: options.links ?? {},
  });
  const backups = new Backups({ db, settings: stores.settings, clock, log, dataDir: folder.dir });
  const retention = new Retention({
    store,
    stores,
    log,
    dataDir: folder.dir,
    peers: () =>
      stores.peers.paired().map(({ deviceId, name }) => {
        const { state, syncedAt } = sync.status(deviceId);
        return { name, syncedAt: state?.name === 'live' ? clock.now() : (syncedAt ?? 0) };
      }),
    sweepArtifacts: (referenced, olderThan) => artifacts.files.sweep(referenced, olderThan),
  });
  const startedAt = clock.now();
  const feed = new ChangeFeed(db.changes);
  const token = openApiToken(folder.dir);
  const runnerTokens = openRunnerTokens(folder.dir);
  const handlers = createHandlers({
    engine,
    library,
    fileEditor: new WorkflowFileEditor(library, stores, folder.dir),
    sample,
    secrets: userSecrets,
    devices: {
      links,
      sync,
      stores,
      deviceId: identity.deviceId,
      spaceId: () => space.id,
      now: () => clock.now(),
    },
    folderSync: createFolderEndpoint(syncContext, secrets),
    runner,
    inputs,
    metrics: observation.metrics,
    settings: {
      engine,
      secrets: userSecrets,
      token,
      runnerTokens,
      dataDir: folder.dir,
      logLevel,
      versions: () => hostVersions(db, folder.migrated.to, options.desktop),
    },
    hosts,
    desktop: options.desktop,
    backups,
    retention,
    gate,
    info: () => ({
      version: appVersion(),
      schemaVersion: folder.migrated.to,
      deviceId: identity.deviceId,
      spaceId: space.id,
      dataDir: folder.dir,
      startedAt,
      pid: process.pid,
    }),
  });
  let opening: Promise<void> | undefined;
  if (options.runsWorkflows ?? true) {
    observation.start();
    folder.mark.start(stores.lineages);
    runner.start();
    network.start();
    gate.start();
    opening = inputs.rawPayloads.ready();
    library.watch();
    sample.resume();
    links.start();
    backups.start();
    retention.start();
  }
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // Runs get time to end, then calls to the outside are aborted. Runs that still don't end are
    // left; the next start recovers them from the ledger.
    gate.stop();
    library.close();
    network.stop();
    await backups.close();
    await retention.close();
    sync.close();
    await links.stop();
    await inputs.pipeline.stop();
    await opening;
    const stopped = engine.stop();
    await waitAtMost(stopped, clock, STOP_GRACE_MS);
    stopping.abort();
    await waitAtMost(stopped, clock, STOP_GRACE_MS);
    await runner.stop();
    await sample.close();
    if (!options.sandbox) await sandbox.close();
    feed.close();
    await observation.close();
    stopMark(folder, stores, log);
    folder.close();
  };
  const kill = async (): Promise<void> => {
    folder.mark.abandon();
    gate.stop();
    library.close();
    network.stop();
    await backups.close();
    await retention.close();
    sync.close();
    feed.close();
    await inputs.pipeline.stop();
    await observation.close();
    // A killed process would free its port, and its runner lock would be recognized as stale.
    await links.stop();
    await runner.stop();
    folder.close();
  };
  return {
    folder,
    stores,
    engine,
    runner,
    runnerRest: createRunnerRest({
      runner,
      repos: () => stores.runnerRepos.listed(),
      version: appVersion(),
      fsync: () => db.fsync(),
    }),
    inputs,
    feed,
    token,
    runnerTokens,
    links,
    startedAt,
    observation,
    log,
    retryOutside: () => hosts.retryNow(),
    dispatch: createDispatch({ handlers, log, fsync: () => db.fsync() }),
    close: () => (closed ??= close()),
    kill: () => (closed ??= kill()),
  };
}

/** A full disk must not keep the host from closing. The next start then counts as after a crash. */
function stopMark({ mark }: DataFolder, { lineages }: Stores, log: Logger): void {
  try {
    mark.stop(lineages);
  } catch (error) {
    log.warn({ err: error }, 'could not record how far the database got');
  }
}

/** The default name of this device. */
function machineName(): string {
  return hostname().trim().slice(0, MAX_NAME_LENGTH) || 'This device';
}

/** Waits for `work`, at most `ms`; leaves no timer behind. */
function waitAtMost(work: Promise<unknown>, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimeout = clock.wakeAt(clock.now() + ms, resolve);
    void work.finally(() => {
      cancelTimeout();
      resolve();
    });
  });
}
