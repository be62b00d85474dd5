// A real engine with a real database and sandbox, a virtual clock and a fake outside.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { WorkflowLibrary } from '#main/authoring/library.ts';
import { Engine } from '#main/engine/engine.ts';
import type { EngineObserver } from '#main/engine/observer.ts';
import { ArtifactLibrary } from '#main/inputs/artifact-library.ts';
import { ArtifactStore } from '#main/inputs/artifacts.ts';
import { createSilentLog } from '#main/host/log.ts';
import { createMasker } from '#main/secrets/masker.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { createAskTool } from '#main/tools/ask.ts';
import { hostSettings } from '#main/tools/outside-hosts/host-settings.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { createToolBox } from '#main/tools/tool-box.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { createOutside, type Outside } from '#test/support/fake-outside.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import type { Json } from '#shared/json.ts';

export interface EngineUnderTest {
  readonly engine: Engine;
  readonly store: OpenStore;
  readonly outside: Outside;
  /** The artifacts of this device. */
  readonly files: ArtifactStore;
  readonly library: WorkflowLibrary;
  readonly hosts: OutsideHosts;
  /** The engine's probe points, in order. */
  readonly steps: string[];
  /** Adds a workflow with this source and waits until it is idle. */
  add(source: string, name?: string): Promise<string>;
  publish(workflowId: string, topic: string, id: string, payload?: Json): Promise<string>;
  runs(workflowId: string): HandlerRun[];
  idle(): Promise<void>;
  /** Advances the clock and waits until the engine is idle. */
  pass(ms: number): Promise<void>;
  /** Like a kill: the engine is not stopped in order when the test ends. */
  kill(): void;
  /** Like a restart after a kill: a new engine on the same database, without stopping the old one. */
  restart(): EngineUnderTest;
  /**
   * Like a kill and a start: the database is closed, so the old engine writes and sends nothing
   * more, and a new engine opens the same file. Its clock continues.
   */
  crash(): EngineUnderTest;
  /** Kills the engine when it next reaches this probe point. `crash` starts the next one. */
  dieAt(point: string): void;
}

export function startEngine(
  options: {
    readonly canReconcile?: boolean;
    readonly store?: OpenStore;
    readonly outside?: Outside;
    readonly observer?: EngineObserver;
    readonly files?: ArtifactStore;
  } = {},
): EngineUnderTest {
  const store = options.store ?? openStore();
  const outside = options.outside ?? createOutside({ canReconcile: options.canReconcile ?? false });
  const folder = tempFolder();
  const steps: string[] = [];
  let deadlyPoint: string | undefined;
  const stopping = new AbortController();
  const hosts = new OutsideHosts({
    clock: store.clock,
    random: () => 0,
    ...hostSettings(store),
  });
  const files = options.files ?? new ArtifactStore({ dataDir: tempFolder(), clock: store.clock });
  const artifacts = new ArtifactLibrary({
    files,
    stores: store,
    peers: { fetch: async () => null, isConnected: () => false, nameOf: (id) => id },
    deviceId: store.context.deviceId,
    onFetched: () => undefined,
    log: createSilentLog(),
  });
  const engine = new Engine({
    stores: store,
    artifacts,
    store: store.context,
    sandbox: sharedSandbox(),
    tools: createToolBox({
      tools: { ...outside.tools, ask: createAskTool() },
      secret: async () => 'secret',
      masker: createMasker(),
      clock: store.clock,
      hosts,
      signal: stopping.signal,
    }),
    hosts,
    log: createSilentLog(),
    random: () => 0,
    probe: (point) => {
      if (point === deadlyPoint) store.db.close();
      if (!store.db.isOpen) throw new Error('The engine was killed.');
      steps.push(point);
    },
    observer: options.observer,
  });
  engine.start();
  let isDead = false;
  onTestFinished(async () => {
    if (!isDead) await engine.stop();
  });
  const library = new WorkflowLibrary(engine);
  const idle = async (): Promise<void> => {
    // The engine defers wake-ups and the end of a lane's work to the next turn.
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await engine.idle();
    }
  };
  return {
    engine,
    store,
    files,
    outside,
    library,
    hosts,
    steps,
    idle,
    add: async (source, name = 'workflow') => {
      const path = join(folder, `${name}.ts`);
      writeFileSync(path, source);
      const { workflowId } = await library.add(path);
      await idle();
      return workflowId;
    },
    publish: async (workflowId, topicName, messageId, payload = null) => {
      const event = { workflowId, topic: topicName, messageId, title: messageId, payload };
      const result = await engine.publish(event);
      if (!('eventId' in result)) throw new Error(`The event was not published: ${result.type}.`);
      await idle();
      return result.eventId;
    },
    runs: (workflowId) => store.handlerRuns.list({ workflowId, limit: 200 }).runs.toReversed(),
    pass: async (ms) => {
      await store.clock.advance(ms);
      await idle();
    },
    kill: () => {
      isDead = true;
    },
    restart: () => {
      isDead = true;
      return startEngine({ store, outside, files });
    },
    dieAt: (point) => {
      deadlyPoint = point;
    },
    crash: () => {
      isDead = true;
      store.db.close();
      const clock = createVirtualClock(store.clock.now());
      return startEngine({
        store: openStore(store.context.deviceId, store.path, {}, clock),
        outside,
        files,
      });
    },
  };
}

/** One consumer that posts each event to the outside and publishes the outcome. */
export const POSTER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Poster',
  uses: { outside: {} },
  topics: ['in', 'out'],
  consumers: {
    post: {
      subscribes: 'in',
      publishes: ['out'],
      async prepare(ctx, state) {
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return { reservations: [] };
        return { reservations: [event], data: event.payload, ui: { title: 'Post ' + event.title } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.outside.post({ data: prepared.data });
      },
      async next(ctx, prepared, outcome) {
        const { messageId } = prepared.reservations[0];
        await ctx.publish('out', { id: messageId, title: 'Done ' + messageId, payload: outcome });
        return { last: messageId };
      },
    },
  },
});
`;
