// Checks before a call: the method exists, grant and params are valid, and the grant covers the
// params. A call that fails here has sent nothing.
import { z } from 'zod';
import { inputFlaw } from '#main/boundary/json-validity.ts';
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
  /** The grant of this workflow for the tool as the person wrote it; undefined when there is none. */
  readonly grant: unknown;
}

/** Parsed params and grant. Only the method knows their types. */
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

/** Doesn't check whether the grant covers the params. */
export function parseToolCall(tools: Tools, call: ToolCall): Checked {
  const name = `${call.namespace}.${call.method}`;
  const tool = own(tools, call.namespace);
  if (!tool || !own(tool.methods, call.method)) return failed('logic', unknownMethod(tools, call));
  if (call.grant === undefined || call.grant === null) {
    return failed('permission', ungranted(tool, name));
  }
  const grant = parsedGrant(tool, call.grant);
  if (!grant.success) {
    return failed(
      'permission',
      `The grant for "${tool.namespace}" is invalid: ${problemOf(grant.error, 'grant')}. Nothing was sent. Change the grant.`,
    );
  }
  const parsed = parseParams(tools, call);
  return parsed.type === 'ok' ? { ...parsed, grant: grant.data as never } : parsed;
}

/** Needs no grant: a call that was made is described also after its grant was revoked. */
export function parseParams(
  tools: Tools,
  call: Omit<ToolCall, 'grant'>,
): ({ readonly type: 'ok' } & Omit<CheckedCall, 'grant'>) | Extract<Checked, { type: 'failed' }> {
  const name = `${call.namespace}.${call.method}`;
  const tool = own(tools, call.namespace);
  const method = tool && own(tool.methods, call.method);
  if (!method) return failed('logic', unknownMethod(tools, call));
  const flaw = inputFlaw(call.params);
  if (flaw !== null)
    return failed('logic', `The params of ${name} are invalid: params ${flaw}. Nothing was sent.`);
  const params = method.params.safeParse(call.params);
  if (!params.success) {
    return failed(
      'logic',
      `The params of ${name} are invalid: ${problemOf(params.error, 'params')}. Nothing was sent.`,
    );
  }
  // The method's own schemas produced these values; their types are unknown here.
  return { type: 'ok', method, params: params.data as never };
}

/** Cached by identity: a grant is the same object until it changes, a tool while the host runs. */
const parsedGrants = new WeakMap<Tool, WeakMap<object, z.ZodSafeParseResult<unknown>>>();

function parsedGrant(tool: Tool, grant: unknown): z.ZodSafeParseResult<unknown> {
  if (typeof grant !== 'object' || grant === null) return tool.grant.safeParse(grant);
  const known = parsedGrants.get(tool) ?? new WeakMap<object, z.ZodSafeParseResult<unknown>>();
  parsedGrants.set(tool, known);
  const parsed = known.get(grant) ?? tool.grant.safeParse(grant);
  known.set(grant, parsed);
  return parsed;
}

function unknownMethod(tools: Tools, { namespace, method }: Omit<ToolCall, 'grant'>): string {
  const tool = own(tools, namespace);
  const [asked, known] = tool
    ? [`${namespace}.${method}`, Object.keys(tool.methods).map((name) => `${namespace}.${name}`)]
    : [namespace, Object.keys(tools)];
  return `There is no tool ${JSON.stringify(asked.slice(0, 80))}. Available: ${known.join(', ')}.`;
}

function ungranted(tool: Tool, name: string): string {
  const [example] = tool.grant.meta()?.['examples'] ?? [];
  const how = example === undefined ? '' : `, for example ${JSON.stringify(example)}`;
  return `This workflow may not use ${name}. Nothing was sent. To allow it, grant "${tool.namespace}"${how}.`;
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

/** zod nests the reason of an invalid key one level down. */
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
