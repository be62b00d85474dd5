// Writes docs/tools.md from the schemas that check every call; --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Runner } from '#main/runner/runner.ts';
import { createTools, describeTools, type MethodDescription } from '#main/tools/registry.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly [limit: string]: unknown;
}

const LIMITS: { readonly [name: string]: (value: unknown) => string } = {
  minimum: (n) => `at least ${String(n)}`,
  maximum: (n) => `at most ${String(n)}`,
  minLength: (n) => (n === 1 ? 'not empty' : `at least ${String(n)} characters`),
  maxLength: (n) => `at most ${String(n)} characters`,
  minItems: (n) => `at least ${String(n)}`,
  maxItems: (n) => `at most ${String(n)} of them`,
};

const HEAD = `# Tools

Made by \`npm run tools-doc\` from the schemas that check every call; do not edit.

A workflow has the tools that it names in \`uses\`, within the bounds that it names there. Reads belong into \`run\` and \`prepare\`; an effect is the one call of \`mutate\`. "Can be asked" says whether Holdfast can find out by itself, after a crash or a lost answer, what became of an effect; see [reconciliation](reconciliation.md).
`;

const target = fileURLToPath(new URL('../docs/tools.md', import.meta.url));
const text = page();
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('docs/tools.md is not what the schemas say. Run: npm run tools-doc');
  process.exitCode = 1;
}

function page(): string {
  const tools = createTools({
    notifier: async () => undefined,
    dataDir: '/nowhere',
    // Only described, never called.
    runner: {} as Runner,
  });
  const parts = describeTools(tools).map(({ namespace, grant, methods }) =>
    [
      `## ${namespace}`,
      `In \`uses\`: \`${namespace}: ${typeText(grant as Schema)}\``,
      table(grant as Schema),
      ...methods.map(methodText),
    ].join('\n\n'),
  );
  return `${[HEAD.trimEnd(), ...parts].join('\n\n')}\n`;
}

function methodText({ name, kind, summary, reconcile, params }: MethodDescription): string {
  const asked = reconcile ? 'an effect; can be asked' : 'an effect; cannot be asked';
  const what = kind === 'read' ? 'a read' : asked;
  return [`### ${name}`, `${summary} (${what})`, table(params as Schema)].join('\n\n');
}

function table(schema: Schema): string {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return 'Nothing to say: `{}`.';
  return ['| field | type | |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowsOf(schema: Schema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const field = path === '' ? name : `${path}.${name}`;
    const isNeeded = schema.required?.includes(name) === true && part.default === undefined;
    const notes = [isNeeded ? 'needed' : '', ...limitsOf(part)].filter((note) => note !== '');
    const nested = part.properties ? rowsOf(part, field) : [];
    const type = part.properties ? '{ … }' : typeText(part);
    return [`| \`${field}\` | \`${escaped(type)}\` | ${escaped(notes.join('; '))} |`, ...nested];
  });
}

function limitsOf(schema: Schema): string[] {
  const limits = Object.entries(LIMITS).flatMap(([name, say]) =>
    schema[name] === undefined || Math.abs(Number(schema[name])) > 2 ** 40
      ? []
      : [say(schema[name])],
  );
  const fallback =
    schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``];
  return [...fallback, ...limits];
}

function typeText(schema: Schema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'any';
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeText))].join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.$ref !== undefined || Object.keys(schema).length === 0) return 'JSON';
  if (schema.type === 'array') return listOf(typeText(schema.items));
  if (schema.type === 'object') return objectText(schema);
  return typeof schema.type === 'string' ? schema.type : (schema.type?.join(' | ') ?? 'any');
}

function listOf(item: string): string {
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const isNeeded = schema.required?.includes(name) === true && part.default === undefined;
    return `${name}${isNeeded ? '' : '?'}: ${typeText(part)}`;
  });
  if (fields.length > 0) return `{ ${fields.join(', ')} }`;
  const of = schema.additionalProperties;
  return typeof of === 'object' ? `{ [name]: ${typeText(of)} }` : '{}';
}

/** Within a table. */
function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}
