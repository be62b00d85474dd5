// Mutants of artifacts and of the policies of inputs.
import type { Mutant } from '#test/mutants/mutant.ts';

const POLICIES = 'src-main/input-lifecycle/policies.ts';
const TOOL_BOX = 'src-main/tools/tool-box.ts';
const EFFECTS = 'src-main/engine/runs/effects.ts';
const RUN_PHASE = 'src-main/engine/runs/run-phase.ts';
const COMMANDS = 'src-main/engine/decisions/commands.ts';
const ENRICH = 'src-main/inputs/stages/enrich.ts';
const EXCHANGE = 'src-main/sync/session/artifact-exchange.ts';
const MESSAGES = 'src-main/sync/session/control-messages.ts';
const LIBRARY = 'src-main/inputs/artifact-library.ts';
const CALLS = 'src-main/engine/runs/artifact-calls.ts';
const HOSTS = 'src-main/tools/http/hosts.ts';
const PLACE = 'src-main/tools/files/place.ts';

export const ARTIFACT_MUTANTS: readonly Mutant[] = [
  {
    name: 'the frozen grants are ignored',
    file: TOOL_BOX,
    find: 'const allowed = frozen.reduce((narrowed, one) => narrower(narrowed, one), grants);',
    replace: 'const allowed = frozen.length < 0 ? narrower(grants, grants) : grants;',
  },
  {
    name: 'a read of prepare ignores the policies',
    file: RUN_PHASE,
    find: "return found.type === 'unusable' ? found : bind(found.policy);",
    replace: "return found.type === 'unusable' ? found : bind(NO_POLICY);",
  },
  {
    name: 'enrichment freezes no policy',
    file: ENRICH,
    find: 'policies.save(input.id, policy, artifacts);',
    replace: 'if (policy) stores.automationRuns.setArtifacts(runId, artifacts);',
  },
  {
    name: 'a later policy replaces the first',
    file: POLICIES,
    find: 'const isNew = !this.#isOurs(known);',
    replace: 'const isNew = true;',
  },
  {
    name: 'a policy of another device counts',
    file: POLICIES,
    find: 'return policy !== undefined && by === this.#options.store.deviceId;',
    replace: 'return policy !== undefined && by !== undefined;',
  },
  {
    name: 'a policy of another workflow counts',
    file: POLICIES,
    find: 'policy.workflow !== workflowId || ',
    replace: '',
  },
  {
    name: 'without its policy an input may do everything',
    file: POLICIES,
    find: "if (typeof policy === 'string') return { type: 'unusable', error: unusable(policy) };",
    replace: "if (typeof policy === 'string') continue;",
  },
  {
    name: 'a resume keeps the policy',
    file: COMMANDS,
    find: 'this.#context.policies.resetAll(workflowId);',
    replace: '',
  },
  {
    name: 'a rerun keeps the policy',
    file: COMMANDS,
    find: 'if (rerun) this.#context.policies.reset(inputsOfEvents([rerun]));',
    replace: '',
  },
  {
    name: 'the former policy is lost',
    file: POLICIES,
    find: 'if (policy !== present) this.#keepFormer(runId, known);',
    replace: '',
  },
  {
    name: 'the grants of the time before the commit are used',
    file: EFFECTS,
    find: 'const now = this.#toolsOf(handler, request.policy);',
    replace: 'const now = tools;',
  },
  {
    name: 'a frozen dry run sends',
    file: 'src-main/engine/runs/consumer-run.ts',
    find: 'const isPreview = session.flags.sandboxPreview || this.#policy.isPreview;',
    replace: 'const isPreview = session.flags.sandboxPreview;',
  },
  {
    name: 'a narrowed host ignores the port',
    file: HOSTS,
    find: 'if (wider.port !== pattern.port) return false;',
    replace: '',
  },
  {
    name: 'a narrowed folder may be written',
    file: PLACE,
    find: 'readOnly: a.readOnly || b.readOnly',
    replace: 'readOnly: a.readOnly && b.readOnly',
  },
  {
    name: 'fetched content is not compared with its hash',
    file: EXCHANGE,
    find: " || hash('sha256', content) !== sha256",
    replace: " || hash('sha256', content) === ''",
  },
  {
    name: 'fetched content has any size',
    file: EXCHANGE,
    find: 'if (content.length > MAX_STORED_ARTIFACT_BYTES || ',
    replace: 'if (',
  },
  {
    name: 'a peer may ask for any number of artifacts at once',
    file: EXCHANGE,
    find: 'if (this.#answering >= MAX_ANSWERS) {',
    replace: 'if (this.#answering < 0) {',
  },
  {
    name: 'a peer may ask for a path',
    file: MESSAGES,
    find: 'sha256: z.string().regex(SHA256),',
    replace: 'sha256: z.string(),',
  },
  {
    name: 'a peer gets content that no row of the run names',
    file: LIBRARY,
    find: 'return isShared ? this.files.get(sha256) : undefined;',
    replace: 'return this.files.get(sha256) ?? (isShared ? undefined : undefined);',
  },
  {
    name: 'an artifact is attached without its content',
    file: CALLS,
    find: 'const { ref, bytes } = await artifacts.put(content);',
    replace:
      "const [ref, bytes] = [hash('sha256', content), content.length];\n      await artifacts.get(ref);",
  },
  {
    name: 'artifacts behind an event of another workflow are read',
    file: CALLS,
    find: 'if (event?.workflowId !== workflowId) return null;',
    replace: 'if (!event) return workflowId === undefined ? null : [];',
  },
];
