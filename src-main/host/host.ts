// The composition root: opens everything in order, closes it in the reverse one. Plain Node; the
// same host serves Electron, the headless server, the command line and the tests.
import { availableParallelism, hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { ChangeFeed } from '#main/api/change-feed.ts';
import { createDispatch, type Dispatch } from '#main/api/dispatch.ts';
import { createHandlers } from '#main/api/handlers.ts';
import { FileDesk } from '#main/authoring/workflow-file-editor.ts';
import { openApiToken, type ApiToken } from '#main/boundary/token.ts';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { Engine } from '#main/engine/engine.ts';
import { appVersion } from '#main/platform/app-version.ts';
import { openDataFolder, type DataFolder } from '#main/data-folder/data-folder.ts';
import type { Desktop } from '#main/platform/desktop.ts';
import { hostVersions } from '#main/api/versions.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { createInputs, type InputsParts } from '#main/inputs/inputs.ts';
import type { RateLimits } from '#main/inputs/rate-limit.ts';
import { createObservation, type Observation } from '#main/observe/observation.ts';
import { traceConfig, type TraceConfig } from '#main/observe/trace-config.ts';
import { createSample } from '#main/practice/sample.ts';
import { runnerConfig, type RunnerConfig } from '#main/runner/config.ts';
import { createRunnerRest, type RunnerRest } from '#main/runner/rest-routes.ts';
import { createRunner, type Runner } from '#main/runner/runner.ts';
import { createSandbox } from '#main/sandbox/pool.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { withoutOwnSecrets } from '#main/secrets/own-secrets.ts';
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
import { createToolBox } from '#main/tools/tool-box.ts';
import type { Clock } from '#shared/clock.ts';
import type { IdSource } from '#shared/ids.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';

/** One core is for the host itself, which has more to do than the code of any workflow. */
const MAX_SANDBOX_THREADS = 4;

function sandboxThreads(): number {
  return Math.min(Math.max(availableParallelism() - 1, 1), MAX_SANDBOX_THREADS);
}

/** How long a stop waits for what is being done. */
const STOP_GRACE_MS = 3000;

export interface HostOptions {
  readonly dataDir: string;
  /** Called once the folder is ours: a log must not be written into somebody else's. */
  readonly createLog: () => Logger;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** False: nothing runs; calls are answered. For a single call of the command line. */
  readonly runsWorkflows?: boolean;
  /** Shows a notice to the person. Without one it goes to the log. */
  readonly notifier?: Notifier;
  /** The desktop that it runs on, where there is one. */
  readonly desktop?: Desktop;
  /** The data folder whose secrets are used, where it is another one: for a dry run. */
  readonly secretsDir?: string;
  /** The keychain of the system, where there is one. */
  readonly cipher?: Cipher;
  /** Where other devices reach this one. */
  readonly links?: ListenAddress;
  /** Told of every durable step of the engine: where the crash tests pull the plug. */
  readonly probe?: (point: string) => void;
  /** In the place of what the environment says. */
  readonly runner?: Partial<RunnerConfig>;
  /** In the place of the usual limits of a hook. */
  readonly hookRate?: Partial<RateLimits>;
  readonly trace?: TraceConfig;
  /** The tools as this host has them: where the testing kit makes faults. */
  readonly tools?: (tools: Tools) => Tools;
  /** One that outlives this host: it is used, and not closed. */
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
  /** What the loopback API wants to see. */
  readonly token: ApiToken;
  /** The other devices: links to those that are paired, and pairing. */
  readonly links: DeviceLinks;
  readonly startedAt: number;
  readonly observation: Observation;
  readonly log: Logger;
  /** Every way in, whatever carries it, ends here. */
  readonly dispatch: Dispatch;
  /** Lets what is being done reach a safe place, then closes everything. */
  close(): Promise<void>;
  /** As far as it can be had within a process: killed. Nothing of it is written any more. */
  kill(): Promise<void>;
}

export function createHost(options: HostOptions): Host {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? createSystemIds(clock);
  // Before the folder is opened: a setting that cannot be read must not leave it locked.
  const config = { ...runnerConfig(options.dataDir, process.env), ...options.runner };
  const trace = options.trace ?? traceConfig(process.env);
  const folder = openDataFolder({
    dir: options.dataDir,
    clock,
    ids,
    cipher: options.cipher,
  });
  const log = options.createLog();
  const { db, identity, space } = folder;
  if (identity.renewed) {
    log.warn(
      { deviceId: identity.deviceId },
      `${identity.renewed}: this device has a new identity`,
    );
  }
  const store = {
    db,
    clock,
    ids,
    deviceId: identity.deviceId,
    /** Asked for each time: joining changes it. */
    get spaceId() {
      return space.id;
    },
  };
  const stores = createStores(store);
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
  const masker = createMasker();
  const secrets = openSecretStore({
    dataDir: options.secretsDir ?? folder.dir,
    masker,
    cipher: options.cipher,
  });
  if (identity.renewed && options.secretsDir === undefined) {
    deleteSpaceKey(secrets).catch((error: unknown) =>
      log.error({ err: error }, 'the key of the former space could not be removed'),
    );
  }
  const personsSecrets = withoutOwnSecrets(secrets);
  const stopping = new AbortController();
  const sandbox = options.sandbox ?? createSandbox({ workers: sandboxThreads() });
  const runner = createRunner({
    config,
    stores,
    store,
    masker,
    secret: (name) => personsSecrets.get(name),
    log,
  });
  const ourTools = createTools({
    runner,
    notifier: options.notifier ?? (async (notice) => log.info({ notice }, 'notice')),
    dataDir: folder.dir,
    // A workflow that could write the registry could run anything.
    excludedFolders: [dirname(config.registryPath), config.logDir],
  });
  const tools = createToolBox({
    tools: options.tools?.(ourTools) ?? ourTools,
    secret: (name) => personsSecrets.get(name),
    masker,
    clock,
    signal: stopping.signal,
  });
  const engine = new Engine({
    stores,
    store,
    sandbox,
    tools,
    log,
    random: Math.random,
    probe: options.probe ?? (() => undefined),
    observer: observation.observer,
  });
  const inputs = createInputs({
    engine,
    dataDir: folder.dir,
    secrets,
    masker,
    rate: options.hookRate,
    metrics: observation.metrics,
  });
  const library = new WorkflowLibrary(engine);
  const sample = createSample(library, folder.dir);
  const syncContext = (): SyncContext => createSyncContext({ ...store, stores, log });
  const sync = new DeviceSync({
    context: syncContext,
    settings: stores.settings,
    onChange: (deviceId) => db.write(() => db.changes.record('devices', deviceId)),
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
    sweepArtifacts: (referenced, olderThan) => inputs.artifacts.sweep(referenced, olderThan),
  });
  const startedAt = clock.now();
  const feed = new ChangeFeed(db.changes);
  const token = openApiToken(folder.dir);
  const handlers = createHandlers({
    engine,
    library,
    fileDesk: new FileDesk(library, stores, folder.dir),
    sample,
    secrets: personsSecrets,
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
      secrets: personsSecrets,
      token,
      dataDir: folder.dir,
      versions: () => hostVersions(db, folder.migrated.to, options.desktop),
    },
    desktop: options.desktop,
    backups,
    retention,
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
  if (options.runsWorkflows ?? true) {
    observation.start();
    runner.start();
    engine.start();
    inputs.pipeline.start();
    library.watch();
    sample.goOn();
    links.start();
    backups.start();
    retention.start();
  }
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // First what can end by itself; then what waits for the outside is told to stop; what still
    // does not is left as it is: the next start finds it in the ledger.
    library.close();
    await backups.close();
    await retention.close();
    sync.close();
    await links.stop();
    await inputs.pipeline.stop();
    const stopped = engine.stop();
    await within(stopped, clock, STOP_GRACE_MS);
    stopping.abort();
    await within(stopped, clock, STOP_GRACE_MS);
    await runner.stop();
    await sample.close();
    if (!options.sandbox) await sandbox.close();
    feed.close();
    await observation.close();
    folder.close();
  };
  const kill = async (): Promise<void> => {
    library.close();
    await backups.close();
    await retention.close();
    sync.close();
    feed.close();
    await inputs.pipeline.stop();
    await observation.close();
    // A process that dies frees its port, and its lock of the runner is seen to be a dead one's.
    await links.stop();
    await runner.stop();
    folder.close();
  };
  return {
    folder,
    stores,
    engine,
    runner,
    runnerRest: createRunnerRest(runner, () => stores.runnerRepos.listed(), appVersion()),
    inputs,
    feed,
    token,
    links,
    startedAt,
    observation,
    log,
    dispatch: createDispatch(handlers, log),
    close: () => (closed ??= close()),
    kill: () => (closed ??= kill()),
  };
}

/** What the person's machine is called, until they give the device another name. */
function machineName(): string {
  return hostname().trim().slice(0, MAX_NAME_LENGTH) || 'This device';
}

/** Waits for `work`, but not longer; leaves no timer behind. */
function within(work: Promise<unknown>, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const callOff = clock.wakeAt(clock.now() + ms, resolve);
    void work.finally(() => {
      callOff();
      resolve();
    });
  });
}
