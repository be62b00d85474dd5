// The policies of inputs: frozen before the first event of an input is handled, stored as artifacts, and
// read back from there for every call. A policy counts on the device that froze it, because grants are
// those of one device. A person who resumes the workflow has it frozen again.
import type { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { Artifacts } from '#main/store/tables/automation-run-row.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import type { LifecycleContext } from '#main/input-lifecycle/lifecycle-context.ts';
import { freezeFlags } from '#shared/flags.ts';
import { automationRunId, sha256Hex } from '#shared/ids.ts';
import { STAGE_ARTIFACTS } from '#shared/inputs/artifacts.ts';
import {
  combinePolicies,
  freezePolicy,
  NO_POLICY,
  policySchema,
  type Policy,
  type PolicyInForce,
} from '#shared/inputs/policy.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { ARTIFACT_GRACE_MS } from '#shared/limits.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';

/** Content by its SHA-256. `get` throws for damaged content. */
export interface ArtifactFiles {
  put(content: Uint8Array | Json): Promise<{ readonly ref: string; readonly bytes: number }>;
  get(ref: string): Promise<Uint8Array | undefined>;
}

export interface FrozenPolicy {
  readonly ref: string;
  readonly bytes: number;
}

export type PolicyResult =
  | { readonly type: 'in_force'; readonly policy: PolicyInForce }
  | { readonly type: 'unusable'; readonly error: string };

const MAX_CACHED = 100;

interface Options extends LifecycleContext {
  readonly artifacts: ArtifactFiles;
  readonly commits: CommitQueue;
}

export class InputPolicies {
  readonly #options: Options;
  /** Policies that are on disk, by text. All inputs of a hook have the same one. An entry expires in
   * half the grace period of a sweep, so a sweep can't remove a policy that is returned from here. */
  readonly #stored = new Map<string, FrozenPolicy & { readonly until: number }>();
  /** Policies that were read from disk and matched their hash. */
  readonly #read = new Map<string, Policy>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Puts the policy of this moment on disk. `save` makes it the policy of the input. */
  async freeze(input: Input): Promise<FrozenPolicy> {
    const policy = this.#policyOf(input);
    const text = canonicalJson(policy);
    const now = this.#options.store.clock.now();
    const known = this.#stored.get(text);
    if (known !== undefined && now < known.until) return known;
    const { ref, bytes } = await this.#options.artifacts.put(policy);
    if (this.#stored.size >= MAX_CACHED) this.#stored.clear();
    this.#stored.set(text, { ref, bytes, until: now + ARTIFACT_GRACE_MS / 2 });
    return { ref, bytes };
  }

  /** Saves the policy with other artifacts of the input. The first policy that this device froze
   * stays. Call inside a write. */
  save(inputId: string, { ref, bytes }: FrozenPolicy, others: Artifacts = {}): void {
    const { automationRuns } = this.#options.stores;
    const runId = automationRunId(inputId);
    const known = automationRuns.artifacts(runId);
    const isNew = !this.#isOurs(known);
    if (isNew) this.#keepFormer(runId, known);
    automationRuns.setArtifacts(runId, {
      ...known,
      ...others,
      ...(isNew ? { policy: ref, policy_by: this.#options.store.deviceId } : {}),
      bytes: { ...known.bytes, ...others.bytes, ...(isNew ? { policy: bytes } : {}) },
    });
  }

  /** Returns the grants in force for a run of these inputs. Freezes grants that are not frozen yet. */
  async require(inputIds: readonly string[]): Promise<PolicyResult> {
    if (inputIds.length === 0) return { type: 'in_force', policy: NO_POLICY };
    const { stores, commits } = this.#options;
    const inputs = inputIds.flatMap((id) => stores.triggerEvents.get(id) ?? []);
    const missing = inputs.filter(({ id }) => !this.#isOurs(this.#artifactsOf(id)));
    if (missing.length > 0) {
      const frozen = await Promise.all(missing.map((input) => this.freeze(input)));
      await commits.commit(() => {
        for (const [index, { id }] of missing.entries()) {
          this.save(id, frozen[index] as FrozenPolicy);
        }
      });
    }
    return this.#combined(inputs);
  }

  /** For reads of prepare(): the policies of unfinished inputs. One that is not frozen allows what the
   * grants of the moment allow. */
  async ofPeeked(inputIds: readonly string[]): Promise<PolicyResult> {
    const { stores } = this.#options;
    const inputs = inputIds.flatMap((id) => {
      const status = stores.automationRuns.statusOf(id);
      if (status === undefined || !isUnfinished(status)) return [];
      return this.#isOurs(this.#artifactsOf(id)) ? (stores.triggerEvents.get(id) ?? []) : [];
    });
    return this.#combined(inputs);
  }

  /**
   * The inputs of a workflow that a person resumed get the policy of that moment with their next call.
   * The former policy stays among their artifacts. Call inside a write.
   */
  resetAll(workflowId: string): void {
    const { stores } = this.#options;
    const open = stores.automationRuns.open(workflowId).map(({ inputId }) => inputId);
    const held = stores.handlerRuns
      .open(workflowId)
      .flatMap(({ id }) => stores.inputChain.inputsOfRun(id));
    this.reset([...open, ...held]);
  }

  /** Call inside a write. */
  reset(inputIds: readonly string[]): void {
    for (const id of new Set(inputIds)) {
      const input = this.#options.stores.triggerEvents.get(id);
      if (input) this.#reset(input);
    }
  }

  #reset(input: Input): void {
    const { automationRuns } = this.#options.stores;
    const runId = automationRunId(input.id);
    const known = automationRuns.artifacts(runId);
    const { policy, policy_by: _by, ...rest } = known;
    if (policy === undefined) return;
    const present = sha256Hex(canonicalJson(this.#policyOf(input)));
    // The same policy, which is known to be whole: nothing would change.
    if (policy === present && this.#read.has(policy)) return;
    this.#stored.clear();
    this.#read.delete(policy);
    automationRuns.setArtifacts(runId, rest);
    if (policy !== present) this.#keepFormer(runId, known);
  }

  #keepFormer(runId: string, { policy, policy_by: deviceId, bytes }: Artifacts): void {
    if (policy === undefined) return;
    this.#options.stores.artifacts.insert({
      runId,
      name: STAGE_ARTIFACTS.policy,
      type: 'application/json',
      sha256: policy,
      bytes: bytes?.policy ?? null,
      maker: 'stage',
      cause: policy,
      ...(deviceId === undefined ? {} : { deviceId }),
    });
  }

  async #combined(inputs: readonly Input[]): Promise<PolicyResult> {
    const refs = inputs.map(({ id, workflowId }) => {
      const { policy = '' } = this.#artifactsOf(id);
      return { policy, workflowId };
    });
    const distinct = [...new Map(refs.map((one) => [one.policy, one])).values()];
    const policies: Policy[] = [];
    for (const { policy: ref, workflowId } of distinct) {
      const policy = this.#read.get(ref) ?? (await this.#readFrom(ref));
      if (typeof policy === 'string') return { type: 'unusable', error: unusable(policy) };
      if (policy.workflow !== workflowId || policy.device !== this.#options.store.deviceId) {
        return { type: 'unusable', error: unusable('is that of another workflow or device') };
      }
      policies.push(policy);
    }
    return { type: 'in_force', policy: combinePolicies(policies) };
  }

  /** The policy, or what is wrong with it. */
  async #readFrom(ref: string): Promise<Policy | string> {
    try {
      const content = await this.#options.artifacts.get(ref);
      if (!content) return 'is missing on this device';
      const parsed = policySchema.safeParse(JSON.parse(new TextDecoder().decode(content)));
      if (!parsed.success) return 'is not a policy that this version can enforce';
      if (this.#read.size >= MAX_CACHED) this.#read.clear();
      this.#read.set(ref, parsed.data);
      return parsed.data;
    } catch (error) {
      this.#options.log.warn({ err: error, ref }, 'could not read the policy of an input');
      return 'is damaged on this device';
    }
  }

  #artifactsOf(inputId: string): Artifacts {
    return this.#options.stores.automationRuns.artifacts(automationRunId(inputId));
  }

  #isOurs({ policy, policy_by: by }: Artifacts): boolean {
    return policy !== undefined && by === this.#options.store.deviceId;
  }

  #policyOf({ workflowId, redactPaths }: Input): Policy {
    const { stores, store } = this.#options;
    return freezePolicy({
      workflow: workflowId,
      device: store.deviceId,
      redactPaths,
      grants: stores.grants.of(workflowId),
      flags: freezeFlags(stores.settings.get('flags') as Record<string, unknown>),
    });
  }
}

function unusable(why: string): string {
  return `The policy of this input ${why}. Nothing was sent. Check the grants of the workflow, then resume it: the input then gets a policy with the present grants.`;
}
