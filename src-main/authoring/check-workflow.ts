// Checks the source of a workflow file: returns a workflow that can run, or all problems.
import { checkGraph } from '#main/authoring/check-graph.ts';
import { readDescription } from '#main/authoring/workflow-description.ts';
import { locate, placeOf, quoted } from '#main/authoring/source-position.ts';
import { stripTypes, SyntaxProblem, type Problem } from '#main/sandbox/strip-types.ts';
import type { PhaseResult, Sandbox } from '#main/sandbox/sandbox.ts';
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';
import { sha256Hex } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import { MAX_SCRIPT_BYTES } from '#shared/limits.ts';

export interface CheckedWorkflow {
  readonly name: string;
  readonly fileName: string;
  readonly handlerConfig: HandlerConfig;
  /** JavaScript with the same positions as the source. */
  readonly code: string;
  readonly source: string;
  readonly sha: string;
  readonly warnings: readonly string[];
}

export type WorkflowCheck =
  | { readonly ok: true; readonly workflow: CheckedWorkflow }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Evaluating a file only builds its graph, which takes little time. */
const LIMITS = { cpuMs: 1000, wallMs: 10_000 };

export async function checkWorkflow(
  source: string,
  fileName: string,
  sandbox: Sandbox,
): Promise<WorkflowCheck> {
  if (Buffer.byteLength(source) > MAX_SCRIPT_BYTES) {
    return refuse({
      message: `The file is larger than ${MAX_SCRIPT_BYTES} bytes.`,
      line: 1,
      column: 1,
    });
  }
  const stripped = tryStrip(source);
  if ('problem' in stripped) return refuse(stripped.problem);
  const described = await describe(stripped.code, fileName, sandbox);
  if (described.type !== 'returned') return refuse(problemOf(described, source, fileName));
  return checkDescription(described.value, stripped.code, source, fileName);
}

function tryStrip(source: string): { code: string } | { problem: Problem } {
  try {
    return { code: stripTypes(source) };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { problem: error.problem };
    throw error;
  }
}

function describe(code: string, fileName: string, sandbox: Sandbox): Promise<PhaseResult> {
  return sandbox.run(
    {
      code,
      fileName,
      entry: { kind: 'describe' },
      args: [],
      tools: {},
      // Constants, because a graph must not depend on time or chance.
      values: { now: 0, seed: 'describe', runId: 'describe' },
      limits: LIMITS,
    },
    async (calls) => calls.map(() => ({ type: 'stop' })),
  );
}

function checkDescription(
  value: Json,
  code: string,
  source: string,
  fileName: string,
): WorkflowCheck {
  const description = readDescription(value);
  if (typeof description === 'string') {
    return refuse({
      message: describeWrongExport(description),
      ...placeOf(source, Math.max(0, source.search(/\bexport\s+default\b/))),
    });
  }
  const { config, problems, warnings } = checkGraph(description, source);
  if (problems.length > 0) return { ok: false, problems };
  const { name } = config;
  const sha = sha256Hex(source);
  return {
    ok: true,
    workflow: { name, fileName, handlerConfig: config, code, source, sha, warnings },
  };
}

function describeWrongExport(kind: string): string {
  const how = 'Write: export default workflow({ name, topics, producers, consumers }).';
  return kind === 'undefined'
    ? `This file has no default export. ${how}`
    : `The default export is not a workflow: ${kind}. ${how}`;
}

function problemOf(
  result: Exclude<PhaseResult, { type: 'returned' }>,
  source: string,
  fileName: string,
): Problem {
  if (result.type === 'stopped') {
    return { message: 'The file calls Holdfast outside of a handler.', line: 1, column: 1 };
  }
  const { message, stack } = result;
  const notImportable = /not from '(.*)'\.$/.exec(message)?.[1];
  if (notImportable !== undefined) return { message, ...locate(source, quoted(notImportable)) };
  const notExported = /^Could not find export '(.*)' in module/.exec(message)?.[1];
  if (notExported !== undefined) {
    const how = `For a type, write: import { type ${notExported} }.`;
    return {
      message: `'holdfast' has no export "${notExported}". ${how}`,
      ...locate(source, notExported),
    };
  }
  const frame = stack.split(`${fileName}:`)[1] ?? '';
  const [, line = '1', column = '1'] = /^(\d+):(\d+)/.exec(frame) ?? [];
  return { message, line: Number(line), column: Number(column) };
}

const refuse = (problem: Problem): WorkflowCheck => ({ ok: false, problems: [problem] });
