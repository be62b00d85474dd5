// Cache of script versions, ready for the sandbox: types stripped and handler config parsed once. A
// version never changes, so entries are never invalidated.
import { stripTypes } from '#main/sandbox/strip-types.ts';
import { UnreadableRow } from '#main/store/sqlite/refused-set.ts';
import type { Script } from '#main/store/tables/scripts.ts';
import type { Stores } from '#main/store/stores.ts';
import { topicId } from '#shared/ids.ts';
import { handlerConfigSchema, type HandlerConfig } from '#shared/authoring/handler-config.ts';

export interface RunnableScript {
  readonly scriptId: string;
  readonly code: string;
  readonly fileName: string;
  readonly config: HandlerConfig;
  /** Topic name to id. */
  readonly topicIds: ReadonlyMap<string, string>;
}

const MAX_CACHED = 200;

export class ScriptCache {
  readonly #stores: Stores;
  readonly #scripts = new Map<string, RunnableScript>();

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Undefined if this device doesn't have the version, can't read it, or never validated it. */
  get(scriptId: string): RunnableScript | undefined {
    const cached = this.#scripts.get(scriptId);
    if (cached) return cached;
    const script = this.#read(scriptId);
    const config = handlerConfigSchema.safeParse(script?.handlerConfig);
    if (!script || !config.success) return undefined;
    const runnable = {
      scriptId,
      code: stripTypes(script.code),
      fileName: script.fileName ?? 'workflow.ts',
      config: config.data,
      topicIds: new Map(config.data.topics.map((name) => [name, topicId(script.workflowId, name)])),
    };
    if (this.#scripts.size >= MAX_CACHED) {
      this.#scripts.delete(this.#scripts.keys().next().value ?? '');
    }
    this.#scripts.set(scriptId, runnable);
    return runnable;
  }

  #read(scriptId: string): Script | undefined {
    try {
      return this.#stores.scripts.get(scriptId);
    } catch (error) {
      // The inbox shows the refused row.
      if (error instanceof UnreadableRow) return undefined;
      throw error;
    }
  }
}
