// What every part of the engine works with.
import type { Logger } from 'pino';
import type { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { InputLifecycle } from '#main/inputs/input-lifecycle.ts';
import type { EngineObserver } from '#main/engine/observer.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import type { ScriptCache } from '#main/engine/runs/script-cache.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import type { ToolBox } from '#main/tools/tool-box.ts';

export interface EngineContext {
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly commits: CommitQueue;
  readonly scripts: ScriptCache;
  /** What came in, and what becomes of it. */
  readonly inputs: InputLifecycle;
  readonly sandbox: Sandbox;
  readonly tools: ToolBox;
  readonly log: Logger;
  /** 0 up to 1: spreads retries. */
  readonly random: () => number;
  /** Told of every durable step, before and after: where the crash tests pull the plug. */
  readonly probe: (point: string) => void;
  /** Told what happens, as it happens. */
  readonly observer?: EngineObserver | undefined;
}
