// What is known before a call leaves: the method exists, the grant and the params fit it, and the
// grant covers the params. A call that fails here has done nothing.
import { z } from 'zod';
import { inputFlaw } from '#main/boundary/input-flaw.ts';
import type { AnyMutationMethod, AnyReadMethod, Tool, ToolFailure } from '#main/tools/tool.ts';
import { MAX_PROBLEM_LENGTH } from '#shared/limits.ts';
import { own } from '#shared/json.ts';

export interface Tools {
  readonly [namespace: string]: Tool;
}

export interface ToolCall {
  readonly namespace: string;
  readonly method: string;
  readonly params: unknown;
  /** What a person granted this workflow for the tool, as they wrote it; undefined: nothing. */
  readonly grant: unknown;
}

/** Params and grant as their schemas made them: only the method itself knows what they are. */
export interface CheckedCall {
  readonly method: AnyReadMethod | AnyMutationMethod;
  readonly params: never;
  readonly grant: never;
}

export type Checked =
  | ({ readonly type: 'ok' } & CheckedCall)
  | ({ readonly type: 'failed' } & ToolFailure);

export function checkToolCall(tools: Tools, call: ToolCall): Checked {
  const parsed = parseToolCall(tools, call);
  if (parsed.type === 'failed') return parsed;
  const refused = parsed.method.check?.(parsed.grant, parsed.params) ?? null;
  return refused ? { type: 'failed', ...refused } : parsed;
}

/** Without asking whether the grant covers the params. */
export function parseToolCall(tools: Tools, call: ToolCall): Checked {
  const name = `${call.namespace}.${call.method}`;
  const tool = own(tools, call.namespace);
  const method = tool && own(tool.methods, call.method);
  if (!tool || !method) return failed('logic', unknownMethod(tools, call));
  if (call.grant === undefined || call.grant === null) {
    return failed('permission', ungranted(tool, name));
  }
  const grant = parsedGrant(tool, call.grant);
  if (!grant.success) {
    return failed(
      'permission',
      `The grant for "${tool.namespace}" does not fit: ${problemOf(grant.error, 'grant')}. Nothing was sent. Change the grant.`,
    );
  }
  const flaw = inputFlaw(call.params);
  if (flaw !== null)
    return failed('logic', `The params of ${name} do not fit: params ${flaw}. Nothing was sent.`);
  const params = method.params.safeParse(call.params);
  if (!params.success) {
    return failed(
      'logic',
      `The params of ${name} do not fit: ${problemOf(params.error, 'params')}. Nothing was sent.`,
    );
  }
  // The schemas of the method made these for the method: no other type is right, and none is known.
  return { type: 'ok', method, params: params.data as never, grant: grant.data as never };
}

/** A grant is the same object until a person changes it, and a tool the same while the host runs. */
const parsedGrants = new WeakMap<Tool, WeakMap<object, z.ZodSafeParseResult<unknown>>>();

function parsedGrant(tool: Tool, grant: unknown): z.ZodSafeParseResult<unknown> {
  if (typeof grant !== 'object' || grant === null) return tool.grant.safeParse(grant);
  const known = parsedGrants.get(tool) ?? new WeakMap<object, z.ZodSafeParseResult<unknown>>();
  parsedGrants.set(tool, known);
  const parsed = known.get(grant) ?? tool.grant.safeParse(grant);
  known.set(grant, parsed);
  return parsed;
}

function unknownMethod(tools: Tools, { namespace, method }: ToolCall): string {
  const tool = own(tools, namespace);
  const [asked, known] = tool
    ? [`${namespace}.${method}`, Object.keys(tool.methods).map((name) => `${namespace}.${name}`)]
    : [namespace, Object.keys(tools)];
  return `There is no tool ${JSON.stringify(asked.slice(0, 80))}. There are: ${known.join(', ')}.`;
}

function ungranted(tool: Tool, name: string): string {
  const [example] = (tool.grant.meta()?.['examples'] ?? []) as unknown[];
  const how = example === undefined ? '' : `, for example ${JSON.stringify(example)}`;
  return `This workflow may not use ${name}. Nothing was sent. Grant it "${tool.namespace}"${how}, if it should.`;
}

function problemOf(error: z.ZodError, whole: string): string {
  const [text = ''] = innermost(error.issues, []).map(
    ({ path, message }) => `${path.map(String).join('.') || whole}: ${message}`,
  );
  return text.slice(0, MAX_PROBLEM_LENGTH);
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a key that does not fit, the reason is one level down. */
function innermost(issues: readonly z.core.$ZodIssue[], base: readonly PropertyKey[]): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_key') return innermost(issue.issues, path);
    return [{ path, message: issue.message }];
  });
}

function failed(errorType: ToolFailure['errorType'], error: string): Checked {
  return { type: 'failed', errorType, error };
}
