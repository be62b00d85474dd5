// The pointer to the active session of each workflow lane (spec 000): local, versioned, moved by
// compare-and-swap. Every start, bind and finish goes through here, so pointer and session agree.
import { isRefused } from '#main/store/sqlite/sqlite-errors.ts';
import type { RunStateStore } from '#main/store/tables/run-log.ts';
import type { ScriptStore } from '#main/store/tables/scripts.ts';
import type { ScriptRun, ScriptRunStore } from '#main/store/tables/script-runs.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import { notFound, type NotFound } from '#main/store/sqlite/guarded-update.ts';
import type { WorkflowStore } from '#main/store/tables/workflows.ts';
import { freezeFlags } from '#shared/flags.ts';
import { scriptRunId, sha256Hex } from '#shared/ids.ts';
import type { JsonObject } from '#shared/json.ts';
import { CAS_BASE_DELAY_MS, CAS_MAX_ATTEMPTS } from '#shared/limits.ts';
import type {
  Lane,
  SandboxClaim,
  TerminalScriptRunStatus,
  Trigger,
} from '#shared/session-enums.ts';
import type { Rejection } from '#shared/rejection.ts';

export interface RunContext {
  readonly workflowId: string;
  readonly lane: Lane;
  readonly version: number;
  readonly activeRunId: string | null;
  readonly sandboxId: string | null;
  readonly lastAcceptedSeq: number;
}

export interface StartRequest {
  readonly workflowId: string;
  readonly lane: Lane;
  readonly startRequestId: string;
  readonly trigger: Trigger;
  /** Binds this sandbox in the transaction that creates the session. */
  readonly sandboxId?: string;
}

export type StartResult =
  | { readonly type: 'started'; readonly run: ScriptRun; readonly created: boolean }
  | {
      readonly type: 'active_run_exists';
      readonly activeRunId: string | null;
      readonly message: string;
    }
  | { readonly type: 'version_conflict'; readonly message: string }
  | NotFound;

export type FinishResult =
  | { readonly type: 'finished'; readonly run: ScriptRun; readonly duplicate: boolean }
  | NotFound
  | Rejection;

export interface RunContextDependencies {
  readonly workflows: WorkflowStore;
  readonly scripts: ScriptStore;
  readonly scriptRuns: ScriptRunStore;
  readonly runState: RunStateStore;
  readonly settings: SettingsStore;
  /** In [0, 1): jitter for the backoff of two starts that collided. */
  readonly random?: () => number;
}

/** The plan of a session whose workflow has no version yet. */
const NO_SCRIPT = 'none';

export class RunContextStore extends Store {
  readonly #stores: RunContextDependencies;
  readonly #random: () => number;

  constructor(context: StoreContext, dependencies: RunContextDependencies) {
    super(context);
    this.#stores = dependencies;
    this.#random = dependencies.random ?? Math.random;
  }

  get(workflowId: string, lane: Lane): RunContext | undefined {
    return this.db.get<RunContext>(
      `SELECT workflow_id AS workflowId, lane, version, active_run_id AS activeRunId,
         sandbox_id AS sandboxId, last_accepted_seq AS lastAcceptedSeq
       FROM run_contexts WHERE workflow_id = ? AND lane = ?`,
      workflowId,
      lane,
    );
  }

  /** Idempotent: the same start request returns the same session, from any caller. */
  async createRunContext(request: StartRequest): Promise<StartResult> {
    for (let attempt = 0; attempt < CAS_MAX_ATTEMPTS; attempt += 1) {
      const expectedVersion = this.get(request.workflowId, request.lane)?.version ?? 0;
      const result = this.tryStart(request, expectedVersion);
      if (result.type !== 'version_conflict' || attempt === CAS_MAX_ATTEMPTS - 1) return result;
      const delay = CAS_BASE_DELAY_MS * 2 ** attempt;
      await this.context.clock.sleep(Math.round(delay * (1 + this.#random())));
    }
    return versionConflict(request);
  }

  /** One attempt of `createRunContext`: refused when the pointer is no longer at `expectedVersion`. */
  tryStart(request: StartRequest, expectedVersion: number): StartResult {
    const id = scriptRunId(request.workflowId, request.lane, request.startRequestId);
    try {
      return this.db.write((): StartResult => {
        const known = this.#stores.scriptRuns.get(id);
        if (known) return { type: 'started', run: known, created: false };
        const workflow = this.#stores.workflows.get(request.workflowId);
        if (!workflow) return notFound('workflow', request.workflowId);
        if (!this.#swap(request, expectedVersion, id)) return versionConflict(request);
        const script = workflow.scriptId && this.#stores.scripts.get(workflow.scriptId);
        const run = this.#stores.scriptRuns.insert({
          id,
          ...request,
          scriptId: workflow.scriptId,
          // Read inside the start transaction, so the session is pinned to the version active right now.
          runStartSha: script ? script.sha : sha256Hex(''),
          flags: freezeFlags(this.#stores.settings.get('flags') as Record<string, unknown>),
        });
        this.#log(run, 'run.started', { trigger: run.trigger, flags: { ...run.flags } });
        if (request.sandboxId === undefined) return { type: 'started', run, created: true };
        const bound = this.bindRunSandbox(id, request.sandboxId);
        if (bound.type !== 'finished') throw new Error(bound.message);
        return { type: 'started', run: bound.run, created: true };
      });
    } catch (error) {
      if (isRefused(error) && error.message.includes('run_guard.workflow_id')) {
        return this.#activeRunExists(request);
      }
      throw error;
    }
  }

  /** Binds the sandbox that executes the session: pointer and session in one transaction, once. */
  bindRunSandbox(runId: string, sandboxId: string): FinishResult {
    const { db, clock } = this.context;
    const { scriptRuns } = this.#stores;
    return db.write((): FinishResult => {
      const run = scriptRuns.get(runId);
      if (!run) return notFound('run', runId);
      if ('sandboxId' in run.state && run.state.sandboxId === sandboxId) {
        return { type: 'finished', run, duplicate: true };
      }
      const moved = scriptRuns.move(runId, { type: 'bind', sandboxId });
      if (moved.type !== 'moved') return moved;
      const bound = db.run(
        `UPDATE run_contexts SET sandbox_id = ?, version = version + 1, updated_at = ?
         WHERE active_run_id = ?`,
        sandboxId,
        clock.now(),
        runId,
      );
      if (bound !== 1) throw new Error(`The run ${runId} is active, but no pointer names it.`);
      this.#log(run, 'run.bound', { sandboxId });
      return { type: 'finished', run: scriptRuns.get(runId) as ScriptRun, duplicate: false };
    });
  }

  /** The bound sandbox has begun to check a changed file. */
  validateRun(runId: string): FinishResult {
    const { scriptRuns } = this.#stores;
    return this.db.write((): FinishResult => {
      const moved = scriptRuns.move(runId, { type: 'validate' });
      if (moved.type !== 'moved') return moved;
      const run = scriptRuns.get(runId) as ScriptRun;
      this.db.changes.record('workflows', run.workflowId);
      this.#log(run, 'run.validating', {});
      return { type: 'finished', run, duplicate: false };
    });
  }

  /** Finishes a session by its terminal event. Repeating the event changes nothing and reports that. */
  finishRun(end: {
    readonly runId: string;
    readonly status: TerminalScriptRunStatus;
    readonly terminalEventId: string;
    readonly error?: string | undefined;
  }): FinishResult {
    const { db, clock } = this.context;
    const { scriptRuns, workflows, scripts } = this.#stores;
    return db.write((): FinishResult => {
      const run = scriptRuns.get(end.runId);
      if (!run) return notFound('run', end.runId);
      if ('terminalEventId' in run.state && run.state.terminalEventId === end.terminalEventId) {
        return { type: 'finished', run, duplicate: true };
      }
      const activeScriptId = workflows.get(run.workflowId)?.scriptId;
      const script = activeScriptId ? scripts.get(activeScriptId) : undefined;
      const moved = scriptRuns.move(end.runId, {
        type: 'end',
        status: end.status,
        terminalEventId: end.terminalEventId,
        endedAt: clock.now(),
        ...(script ? { runEndSha: script.sha } : {}),
        ...(end.error === undefined ? {} : { error: end.error }),
      });
      // Also when another device finished it: this device must not continue it.
      db.run(
        `UPDATE run_contexts SET active_run_id = NULL, sandbox_id = NULL, version = version + 1,
           updated_at = ? WHERE active_run_id = ?`,
        clock.now(),
        end.runId,
      );
      if (moved.type !== 'moved') return moved;
      // Runs of an earlier version or of a former owner may not be counted; archived ones stay counted.
      db.run(
        `UPDATE script_runs SET handler_run_count = n
         FROM (SELECT count(*) AS n FROM handler_runs WHERE script_run_id = ?)
         WHERE id = ? AND handler_run_count < n`,
        end.runId,
        end.runId,
      );
      db.changes.record('workflows', run.workflowId);
      this.#log(run, `run.${end.status}`, {
        terminalEventId: end.terminalEventId,
        ...(end.error === undefined ? {} : { error: end.error }),
      });
      return { type: 'finished', run: scriptRuns.get(end.runId) as ScriptRun, duplicate: false };
    });
  }

  /**
   * Accepts any number strictly greater than the last one, and only from the sandbox bound to the
   * active session. False when it is stale, repeated or from another sandbox; nothing changes then.
   */
  acceptSeq(claim: SandboxClaim, seq: number): boolean {
    return this.#advanceSeq(claim, seq, '=') || this.#acceptForeign(claim, seq);
  }

  /** For sessions that started without `daemonRunIdStrict`: the log records the sandbox, once. */
  #acceptForeign(claim: SandboxClaim, seq: number): boolean {
    const { db } = this.context;
    const run = this.#stores.scriptRuns.get(claim.runId);
    if (!run || run.flags.daemonRunIdStrict) return false;
    return db.write(() => {
      const boundTo = this.get(claim.workflowId, claim.lane)?.sandboxId ?? null;
      if (!this.#advanceSeq(claim, seq, 'IS NOT')) return false;
      const { sandboxId } = claim;
      this.#log(run, 'run.foreign_sandbox', { sandboxId, boundTo }, sandboxId);
      return true;
    });
  }

  #advanceSeq(claim: SandboxClaim, seq: number, whose: '=' | 'IS NOT'): boolean {
    const { db, clock } = this.context;
    return db.writeOne(
      () =>
        db.run(
          `UPDATE run_contexts SET last_accepted_seq = ?, updated_at = ?
           WHERE workflow_id = ? AND lane = ? AND active_run_id = ? AND sandbox_id ${whose} ?
             AND last_accepted_seq < ?`,
          seq,
          clock.now(),
          claim.workflowId,
          claim.lane,
          claim.runId,
          claim.sandboxId,
          seq,
        ) === 1,
    );
  }

  #log(run: ScriptRun, eventType: string, payload: JsonObject, stepId?: string): void {
    const identity = {
      runId: run.id,
      eventType,
      ...(stepId === undefined ? {} : { stepId }),
      logicalAttemptId: 1,
      planId: run.scriptId ?? NO_SCRIPT,
      planVersion: run.runStartSha,
    };
    this.#stores.runState.record(identity, run, payload);
  }

  #swap(request: StartRequest, expectedVersion: number, runId: string): boolean {
    const { db, clock } = this.context;
    const { workflowId, lane } = request;
    const now = clock.now();
    db.changes.record('workflows', workflowId);
    if (expectedVersion === 0) {
      return (
        db.run(
          `INSERT INTO run_contexts (workflow_id, lane, version, active_run_id, updated_at)
           VALUES (?, ?, 1, ?, ?) ON CONFLICT (workflow_id, lane) DO NOTHING`,
          workflowId,
          lane,
          runId,
          now,
        ) === 1
      );
    }
    return (
      db.run(
        `UPDATE run_contexts SET active_run_id = ?, sandbox_id = NULL, last_accepted_seq = 0,
           version = version + 1, updated_at = ?
         WHERE workflow_id = ? AND lane = ? AND version = ?`,
        runId,
        now,
        workflowId,
        lane,
        expectedVersion,
      ) === 1
    );
  }

  #activeRunExists(request: StartRequest): StartResult {
    const active = this.#stores.scriptRuns.activeOf(request.workflowId, request.lane);
    return {
      type: 'active_run_exists',
      activeRunId: active?.id ?? null,
      message: `This workflow already has an active session in its ${request.lane} lane. Nothing was started. Wait for that session or end it, then start again.`,
    };
  }
}

function versionConflict(request: StartRequest): StartResult {
  return {
    type: 'version_conflict',
    message: `Other requests started sessions of this workflow (${request.lane} lane) at the same moment. Nothing was started. Try again.`,
  };
}
