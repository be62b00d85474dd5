// The workflow files of this device: adds, watches and activates them. Every valid version of a file
// is stored.
import { asSentence } from '#main/authoring/as-sentence.ts';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  checkWorkflow,
  type CheckedWorkflow,
  type WorkflowCheck,
} from '#main/authoring/check-workflow.ts';
import { locate } from '#main/authoring/source-position.ts';
import { openValidation, type ValidationSession } from '#main/authoring/validation-session.ts';
import { watchFiles, type FileWatch } from '#main/authoring/watch-files.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { Script } from '#main/store/tables/scripts.ts';
import { explainFileError } from '#main/platform/file-error.ts';
import { readScriptFile } from '#main/platform/script-file.ts';
import { ApiError } from '#shared/api/errors.ts';
import { sha256Hex, workflowId as workflowIdOf } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import { leavesBehind } from '#shared/left-behind.ts';
import type { Lane, Trigger } from '#shared/session-enums.ts';

export interface Added {
  readonly workflowId: string;
  readonly version: string;
  readonly warnings: string[];
}

export class WorkflowLibrary {
  readonly #engine: Engine;
  #watch: FileWatch | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * A new file starts immediately with the grants it declares. A changed one becomes a draft. `link`
   * makes it the file of an existing workflow: of this one, or with `true` of the one with the same name.
   */
  async add(path: string, link?: string | true, trigger: Trigger = 'manual'): Promise<Added> {
    const { real, source } = readWorkflowFile(path);
    const { stores, store } = this.#engine.context;
    const changed = stores.workflowFiles.ofPath(real);
    if (changed === undefined) {
      const checked = await this.#check(source, basename(real));
      return store.db.write(() => this.#save(real, source, checked, link));
    }
    this.#assertNotLinkedElsewhere(changed, real, link);
    const session = await openValidation(this.#engine.context, changed, source, trigger);
    try {
      const checked = await this.#check(source, basename(real));
      return store.db.write(() => {
        session?.end('completed');
        return this.#save(real, source, checked, link);
      });
    } catch (error) {
      if (store.db.isOpen) this.#recordFailure(changed, error, session);
      throw error;
    }
  }

  #save(
    path: string,
    source: string,
    checked: CheckedWorkflow,
    link: string | true | undefined,
  ): Added {
    const { stores, store } = this.#engine.context;
    const current = stores.workflowFiles.ofPath(path);
    if (current !== undefined) this.#assertNotLinkedElsewhere(current, path, link);
    const known = current ?? this.#linked(path, checked.name, link);
    const workflowId = known ?? workflowIdOf(store.ids.ulid());
    const lane = known === undefined ? 'main' : 'draft';
    const script = this.#saveVersion(workflowId, lane, source, checked);
    if (known === undefined) this.#create(workflowId, path, script, checked);
    else this.#draft(workflowId, script);
    const isShared = stores.workflows.named(checked.name).some(({ id }) => id !== workflowId);
    const warnings = [...checked.warnings, ...(isShared ? [sharedName(checked.name)] : [])];
    return { workflowId, version: script.sha.slice(0, 12), warnings };
  }

  /** Problems of the text are those of the draft; other refusals say nothing about it. */
  #recordFailure(workflowId: string, error: unknown, session: ValidationSession | null): void {
    const { stores, store } = this.#engine.context;
    const problems = error instanceof ApiError ? error.problems : [];
    const message = error instanceof Error ? error.message : String(error);
    store.db.write(() => {
      session?.end('failed', message);
      if (problems.length === 0) return;
      const scriptId = stores.workflows.get(workflowId)?.scriptId ?? '';
      stores.laneValidation.set({ workflowId, lane: 'draft', scriptId, problems });
    });
  }

  /** A file belongs to one workflow. A link to another one is refused, not ignored. */
  #assertNotLinkedElsewhere(current: string, path: string, link: string | true | undefined): void {
    if (link === undefined || link === true || link === current) return;
    const name = this.#engine.context.stores.workflows.get(current)?.name ?? current;
    throw new ApiError({
      type: 'conflict',
      message: `${basename(path)} is already the file of the workflow "${name}". Nothing was changed. To link it to another workflow, copy it and link the copy.`,
    });
  }

  /** The workflow that a new path belongs to. Undefined: a new one, whose name nobody has. */
  #linked(path: string, name: string, link: string | true | undefined): string | undefined {
    const { workflows, workflowFiles } = this.#engine.context.stores;
    const named = workflows.named(name);
    if (link === undefined) {
      const [other] = named;
      if (other) throw nameInUse(path, name, workflowFiles.ofWorkflow(other.id));
      return undefined;
    }
    const target = link === true ? named : [workflows.get(link)].flatMap((one) => one ?? []);
    const [workflow, another] = target;
    if (!workflow || another) throw nothingToLink(name, target.length);
    workflowFiles.set(workflow.id, path);
    this.#watch?.add(path);
    return workflow.id;
  }

  /** Starts watching: a changed file becomes a draft automatically. */
  watch(): void {
    const { log } = this.#engine.context;
    this.#watch ??= watchFiles(
      (path) =>
        void this.#reread(path).catch((error: unknown) =>
          log.error({ err: error, path }, 'could not save a changed workflow file'),
        ),
      (error) => log.warn({ err: error }, 'workflow files cannot be watched'),
    );
    for (const { path } of this.#engine.context.stores.workflowFiles.list()) {
      this.#watch.add(path);
      // The watch reports no file that was gone before it began.
      if (!existsSync(path)) void this.#reread(path);
    }
  }

  close(): void {
    this.#watch?.close();
  }

  /** Problems are stored for the draft; the active version keeps running. */
  async #reread(path: string): Promise<void> {
    const { stores, store, log } = this.#engine.context;
    const workflowId = stores.workflowFiles.ofPath(path);
    try {
      await this.add(path, undefined, 'event');
    } catch (error) {
      log.info({ err: error, path }, 'changed workflow file is not valid');
      if (workflowId === undefined || !(error instanceof ApiError)) return;
      if (error.problems.length > 0) return;
      const scriptId = stores.workflows.get(workflowId)?.scriptId ?? '';
      const moved = error.type === 'not_found' ? this.#renamedTo(workflowId, path) : undefined;
      const message = moved === undefined ? error.message : fileRenamed(path, moved);
      stores.laneValidation.set({ workflowId, lane: 'draft', scriptId, problems: [message] });
    } finally {
      // Notifies open editors that the file changed, even if it gave no new version.
      if (workflowId !== undefined) {
        store.db.write(() => store.db.changes.record('workflows', workflowId));
      }
    }
  }

  /** A file in the folder of a missing one that has its content, and belongs to no workflow. */
  #renamedTo(workflowId: string, path: string): string | undefined {
    const { workflows, scripts, workflowFiles } = this.#engine.context.stores;
    const { scriptId, draft } = workflows.get(workflowId) ?? {};
    const sha = scripts.get(draft?.scriptId ?? scriptId ?? '')?.sha;
    return siblingsOf(path).find(
      (file) => workflowFiles.ofPath(file) === undefined && shaOf(file) === sha,
    );
  }

  async validate(
    source: string,
    fileName: string,
  ): Promise<{
    ok: boolean;
    problems: { message: string; line: number; column: number }[];
    warnings: string[];
    topics: string[];
  }> {
    const result = await this.#checkAll(source, fileName);
    if (!result.ok) {
      const problems = result.problems.map((problem) => ({ ...problem }));
      return { ok: false, problems, warnings: [], topics: [] };
    }
    const { warnings, handlerConfig } = result.workflow;
    return { ok: true, problems: [], warnings: [...warnings], topics: handlerConfig.topics };
  }

  /**
   * Activates the draft, unless another version was activated meanwhile. A draft that leaves events or
   * runs behind needs a person's confirmation.
   */
  activate(workflowId: string, isConfirmed = false): { version: string; waiting?: true } {
    const { stores } = this.#engine.context;
    const workflow = stores.workflows.get(workflowId);
    const draft = workflow?.draft;
    if (!workflow || !draft) throw nothingToActivate();
    if (draft.basedOn !== workflow.scriptId) throw draftOutdated();
    const script = stores.scripts.get(draft.scriptId) as Script;
    if (!isConfirmed) this.#assertNothingLeft(workflowId, draft.scriptId);
    const { uses } = script.handlerConfig as { uses?: { [tool: string]: Json } };
    this.#grantDeclared(workflowId, uses ?? {});
    const { scriptId, basedOn } = draft;
    const intent = this.#engine.decisions.submit(workflowId, {
      kind: 'activate',
      scriptId,
      basedOn,
      ...(isConfirmed ? { leavesBehind: true } : {}),
    });
    if (intent.status === 'superseded' || intent.status === 'refused') throw draftOutdated();
    const version = script.sha.slice(0, 12);
    return intent.status === 'waiting' ? { version, waiting: true } : { version };
  }

  #assertNothingLeft(workflowId: string, scriptId: string): void {
    const left = this.#engine.commands.leftBehindBy(workflowId, scriptId);
    if (left.length === 0) return;
    throw new ApiError({
      type: 'conflict',
      reason: 'leaves_behind',
      message: leavesBehind(left),
    });
  }

  grant(workflowId: string, tool: string, scope: Json): void {
    const problem = this.#engine.context.tools.grantProblem(tool, scope);
    if (problem !== null) {
      throw new ApiError({
        type: 'invalid_input',
        message: `The grant is invalid: ${problem}. Nothing was granted.`,
      });
    }
    this.#engine.context.stores.grants.set(workflowId, tool, scope);
    // Grants are local, so only the owner's runs can continue.
    if (this.#engine.ownership.owns(workflowId)) this.#engine.commands.resume(workflowId);
  }

  async #check(source: string, fileName: string): Promise<CheckedWorkflow> {
    const result = await this.#checkAll(source, fileName);
    if (result.ok) return result.workflow;
    const problems = result.problems.map(
      ({ message, line, column }) => `${fileName}:${line}:${column}: ${message}`,
    );
    throw new ApiError({
      type: 'invalid_input',
      message: asSentence(`The workflow was not added: ${problems[0] ?? 'it is not valid'}`),
      problems,
    });
  }

  /** Checks the file, then its declared grants against the tools. */
  async #checkAll(source: string, fileName: string): Promise<WorkflowCheck> {
    const { sandbox, tools } = this.#engine.context;
    const result = await checkWorkflow(source, fileName, sandbox);
    if (!result.ok) return result;
    const problems = Object.entries(result.workflow.handlerConfig.uses).flatMap(([tool, scope]) => {
      const problem = tools.grantProblem(tool, scope);
      return problem === null
        ? []
        : [{ message: `In "uses", ${problem}.`, ...locate(source, tool) }];
    });
    return problems.length === 0 ? result : { ok: false, problems };
  }

  #saveVersion(workflowId: string, lane: Lane, source: string, checked: CheckedWorkflow): Script {
    const { scripts, laneValidation } = this.#engine.context.stores;
    const script = scripts.ensure(workflowId, source, {
      fileName: checked.fileName,
      handlerConfig: checked.handlerConfig as unknown as Json,
    });
    laneValidation.set({ workflowId, lane, scriptId: script.id, problems: [] });
    return script;
  }

  #create(workflowId: string, path: string, script: Script, checked: CheckedWorkflow): void {
    const { stores } = this.#engine.context;
    stores.workflows.create(workflowId, {
      name: checked.name,
      scriptId: script.id,
      handlerConfig: script.handlerConfig,
    });
    stores.workflowFiles.set(workflowId, path);
    this.#watch?.add(path);
    this.#grantDeclared(workflowId, checked.handlerConfig.uses);
    setImmediate(() => this.#engine.wake(workflowId));
  }

  #draft(workflowId: string, script: Script): void {
    const { workflows } = this.#engine.context.stores;
    const workflow = workflows.get(workflowId);
    if (!workflow || workflow.scriptId === script.id) return;
    workflows.setDraft(workflowId, { scriptId: script.id, basedOn: workflow.scriptId });
  }

  /** By adding or activating a file, a person grants what it declares. */
  #grantDeclared(workflowId: string, uses: { readonly [tool: string]: Json }): void {
    const { grants } = this.#engine.context.stores;
    for (const [tool, scope] of Object.entries(uses)) grants.set(workflowId, tool, scope);
  }
}

function readWorkflowFile(path: string): { real: string; source: string } {
  try {
    const real = realpathSync(path);
    return { real, source: readScriptFile(real) };
  } catch (error) {
    const why = explainFileError(error);
    throw new ApiError(
      { type: 'not_found', message: `Could not read ${path}: ${why}. Nothing was added.` },
      { cause: error },
    );
  }
}

function siblingsOf(path: string): string[] {
  try {
    const folder = dirname(path);
    return readdirSync(folder)
      .filter((name) => /\.[jt]s$/.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Undefined if the file can't be read or can't be a workflow. */
function shaOf(path: string): string | undefined {
  try {
    return sha256Hex(readScriptFile(path));
  } catch {
    return undefined;
  }
}

function fileRenamed(path: string, moved: string): string {
  return `${basename(path)} is gone, and ${basename(moved)} has its content. The active version keeps running. If you renamed it, link it: holdfast add ${moved} --link`;
}

function nameInUse(path: string, name: string, file: string | undefined): ApiError {
  const where =
    file === undefined
      ? 'its file is on another device'
      : `its file is ${file}${existsSync(file) ? '' : ', which is gone'}`;
  return new ApiError({
    type: 'conflict',
    reason: 'name_in_use',
    message: `There is already a workflow with the same name, "${name}" (${where}). Nothing was added. If ${basename(path)} is now its file, link it (holdfast add FILE --link). To add a second workflow, give it another name in the file.`,
  });
}

function sharedName(name: string): string {
  return `Another workflow has the name "${name}". Change one of the names, or use the ids to tell them apart.`;
}

function nothingToLink(name: string, found: number): ApiError {
  const why =
    found === 0
      ? `There is no workflow with the name "${name}"`
      : `There are ${found} workflows with the name "${name}"`;
  return new ApiError({
    type: found === 0 ? 'not_found' : 'conflict',
    message: `${why}. Nothing was added. Name the workflow by its id (holdfast add FILE --link ID).`,
  });
}

function nothingToActivate(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'There is no draft to activate. Nothing was changed. Change the file and add it again.',
  });
}

function draftOutdated(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'Another version was activated after this draft was created. Nothing was changed. Add the file again to create a new draft.',
  });
}
