// `import { testWorkflow } from 'holdfast/testing'`: a workflow in a test, with the real host, the
// real sandbox and a real database in a folder of its own. Time is the test's, faults come when the
// test says so, and a crash is a crash: the host ends, and another opens the same folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fault } from '#main/testing/faults.ts';
import { sourceOf } from '#main/testing/object-source.ts';
import type { StandIn } from '#main/testing/outside.ts';
import { WorkflowTest } from '#main/testing/workflow-test.ts';
import type { WorkflowDefinition } from '#shared/authoring/workflow.ts';

export type { EffectName, Fault, ReadName } from '#main/testing/faults.ts';
export type {
  Delivered,
  DeliveryOptions,
  HookUnderTest,
  Signs,
} from '#main/testing/hook-under-test.ts';
export type { Reached, StandIn } from '#main/testing/outside.ts';
export type { EffectSeen, EventSeen, InputSeen, RunSeen } from '#main/testing/test-views.ts';
export type { Way, WorkflowTest } from '#main/testing/workflow-test.ts';

export interface TestOptions {
  /** When it begins, as `2026-03-02T08:00:00Z` or in milliseconds; by default now. */
  readonly now?: string | number;
  /** What stands in the file, and what stands there in this test: `{ '~/Invoices': folder }`. */
  readonly places?: { readonly [text: string]: string };
  /** By name, as `holdfast secret set NAME` keeps them. */
  readonly secrets?: { readonly [name: string]: string };
  /** Who answers in the place of a tool: `{ 'http.post': (params) => ({ status: 201 }) }`. */
  readonly outside?: { readonly [call: string]: StandIn };
  /** What goes wrong, in words: `lose the answer of the second http.post`. */
  readonly faults?: readonly Fault[];
  /** The registry of the runner, `{ repos, scripts }`, as `runner.json` has it. */
  readonly runner?: object;
  /** Where the end of the test is told: `onTestFinished` of vitest, `t.after` of node:test. */
  readonly after?: (close: () => Promise<void>) => void;
}

/** `subject`: the path of a workflow file, or a workflow as an object. */
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

/** A place that is not in the file is a mistake of the test. */
function withPlaces(source: string, places: { readonly [text: string]: string }): string {
  let text = source;
  for (const [place, here] of Object.entries(places)) {
    if (!text.includes(place)) throw new Error(`The workflow has no "${place}".`);
    text = text.replaceAll(place, here);
  }
  return text;
}
