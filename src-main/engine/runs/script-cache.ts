// The script versions that run, ready for the sandbox: types stripped once, graph parsed once.
import { stripTypes } from '#main/sandbox/strip-types.ts';
import type { Stores } from '#main/store/stores.ts';
import { topicId } from '#shared/ids.ts';
import { handlerConfigSchema, type HandlerConfig } from '#shared/authoring/handler-config.ts';

export interface RunnableScript {
  readonly scriptId: string;
  readonly code: string;
  readonly fileName: string;
  readonly config: HandlerConfig;
  /** By name. */
  readonly topicIds: ReadonlyMap<string, string>;
}

const KEPT = 200;

export class ScriptCache {
  readonly #stores: Stores;
  readonly #scripts = new Map<string, RunnableScript>();

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Undefined: there is no such version, or it was never checked. */
  get(scriptId: string): RunnableScript | undefined {
    const kept = this.#scripts.get(scriptId);
    if (kept) return kept;
    const script = this.#stores.scripts.get(scriptId);
    const config = handlerConfigSchema.safeParse(script?.handlerConfig);
    if (!script || !config.success) return undefined;
    const runnable = {
      scriptId,
      code: stripTypes(script.code),
      fileName: script.fileName ?? 'workflow.ts',
      config: config.data,
      topicIds: new Map(config.data.topics.map((name) => [name, topicId(script.workflowId, name)])),
    };
    if (this.#scripts.size >= KEPT) this.#scripts.delete(this.#scripts.keys().next().value ?? '');
    this.#scripts.set(scriptId, runnable);
    return runnable;
  }
}
