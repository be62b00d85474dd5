// The stores, services and callbacks that every part of the engine shares. Parts of the engine itself
// (lanes, decisions, ownership) are passed explicitly, not through here.
import type { Logger } from 'pino';
import type { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { ArtifactAccess } from '#main/input-lifecycle/artifact-access.ts';
import type { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import type { InputPolicies } from '#main/input-lifecycle/policies.ts';
import type { Isolation } from '#main/engine/isolation.ts';
import type { DoubtClock } from '#main/engine/doubt-clock.ts';
import type { EngineObserver } from '#main/engine/observer.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import type { ScriptCache } from '#main/engine/runs/script-cache.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import type { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { ToolBox } from '#main/tools/tool-box.ts';

export interface EngineContext {
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly commits: CommitQueue;
  readonly scripts: ScriptCache;
  readonly isolation: Isolation;
  /** Inputs and the status of their automation runs. */
  readonly inputs: InputLifecycle;
  readonly policies: InputPolicies;
  readonly artifacts: ArtifactAccess;
  readonly sandbox: Sandbox;
  readonly tools: ToolBox;
  readonly doubtClock: DoubtClock;
  readonly hosts: OutsideHosts;
  readonly log: Logger;
  /** From 0 up to 1: the jitter of backoff delays. */
  readonly random: () => number;
  /** Called before and after every durable step. Crash tests kill the process there. */
  readonly probe: (point: string) => void;
  readonly observer?: EngineObserver | undefined;
}
