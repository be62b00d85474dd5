// `import { testWorkflow } from 'holdfast/testing'`: runs a workflow with the real host, sandbox and
// database in a temporary folder. The test controls time and faults. A crash kills the host, and a new
// one opens the same folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fault } from '#main/testing/fault-plan.ts';
import { sourceOf } from '#main/testing/object-source.ts';
import type { StandIn } from '#main/testing/outside.ts';
import { TestNetwork } from '#main/testing/test-network.ts';
import { WorkflowTest } from '#main/testing/workflow-test.ts';
import type { WorkflowDefinition } from '#shared/authoring/workflow.ts';

export type { EffectName, Fault, ReadName } from '#main/testing/fault-plan.ts';
export type {
  DeliveryResult,
  DeliveryOptions,
  TestHook,
  HookAuthKind,
} from '#main/testing/test-hook.ts';
export type { ReachedCall, StandIn } from '#main/testing/outside.ts';
export type {
  EffectRecord,
  EventRecord,
  ArtifactRecord,
  InputRecord,
  RunRecord,
} from '#main/testing/test-records.ts';
export type { Settlement, WorkflowTest } from '#main/testing/workflow-test.ts';

export interface TestOptions {
  /** Start time, as `2026-03-02T08:00:00Z` or in milliseconds; now by default. */
  readonly now?: string | number;
  /** Replacements in the workflow's source: `{ '~/Invoices': folder }`. */
  readonly places?: { readonly [text: string]: string };
  /** Secrets by name. */
  readonly secrets?: { readonly [name: string]: string };
  /** Stand-ins for tool methods: `{ 'http.post': (params) => ({ status: 201 }) }`. */
  readonly outside?: { readonly [call: string]: StandIn };
  /** `offline`: calls to other machines get no connection until `network('online')`. */
  readonly network?: 'online' | 'offline';
  /** Faults to inject: `lose the answer of the second http.post`. */
  readonly faults?: readonly Fault[];
  /** The runner's registry, `{ repos, scripts }`, as in `runner.json`. */
  readonly runner?: object;
  /** Registers the cleanup: `onTestFinished` of vitest, `t.after` of node:test. */
  readonly after?: (close: () => Promise<void>) => void;
}

/** `subject`: the path of a workflow file, or a workflow object. */
export async function testWorkflow(
  subject: string | URL | WorkflowDefinition,
  options: TestOptions = {},
): Promise<WorkflowTest> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-testing-'));
  const test = new WorkflowTest({
    folder,
    startAt: options.now === undefined ? Date.now() : new Date(options.now).getTime(),
    faults: options.faults ?? [],
    standIns: options.outside ?? {},
    registry: options.runner,
    network: new TestNetwork(options.network !== 'offline'),
  });
  options.after?.(() => test.close());
  try {
    const path = join(folder, nameOf(subject));
    writeFileSync(path, withPlaces(readSubject(subject), options.places ?? {}));
    for (const [name, value] of Object.entries(options.secrets ?? {})) {
      await test.setSecret(name, value);
    }
    await test.add(path);
    return test;
  } catch (error) {
    await test.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function readSubject(subject: string | URL | WorkflowDefinition): string {
  if (typeof subject === 'string' || subject instanceof URL) return readFileSync(subject, 'utf8');
  return sourceOf(subject);
}

function nameOf(subject: string | URL | WorkflowDefinition): string {
  if (typeof subject === 'string') return basename(subject);
  return subject instanceof URL ? basename(fileURLToPath(subject)) : 'workflow.ts';
}

/** Throws if a text to replace does not occur in the source. */
function withPlaces(source: string, places: { readonly [text: string]: string }): string {
  let text = source;
  for (const [place, replacement] of Object.entries(places)) {
    if (!text.includes(place)) throw new Error(`The workflow does not contain "${place}".`);
    text = text.replaceAll(place, replacement);
  }
  return text;
}
