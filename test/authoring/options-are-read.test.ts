// Notices an option that is accepted and then ignored. It looks for names in source text, so a name
// that something else has too can hide one; it never reports an option that is read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract } from '#shared/api/contract.ts';
import { handlerConfigSchema, scheduleSchema } from '#shared/authoring/handler-config.ts';
import { publishSchema, registerInputSchema } from '#shared/authoring/published.ts';

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Read as a member, or taken out of an object: `a.name`, `{ name }`, `{ name: other }`. */
function isRead(name: string, sources: readonly string[]): boolean {
  const read = new RegExp(String.raw`\.${name}\b|[{,]\s*${name}\s*[,:=}]|['"]${name}['"]\]`);
  return sources.some((source) => read.test(source));
}

/** The names of all fields in a schema. */
function fieldsOf(schema: z.ZodType): string[] {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties } = node as { properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return [...names];
}

test('[AU-12] every field that an author can write is named by the code that runs workflows', () => {
  const engine = [
    ...['engine', 'input-lifecycle', 'store', 'tools'].map((name) => join('src-main', name)),
    join('src-shared', 'outside'),
  ].flatMap(sourcesIn);
  const schemas = [scheduleSchema, handlerConfigSchema, publishSchema, registerInputSchema];
  // Only the graph shows cycles.
  const shown = ['cycles'];
  const unread = schemas
    .flatMap(fieldsOf)
    .filter((name) => !shown.includes(name) && !isRead(name, engine));
  expect(unread).toEqual([]);
});

test('[AU-12] every input of a call is named by the host', () => {
  const host = readdirSync('src-main')
    .filter((name) => !['cli', 'shell', 'testing'].includes(name))
    .flatMap((name) => sourcesIn(join('src-main', name)));
  const unread = Object.entries(contract).flatMap(([call, { input }]) =>
    fieldsOf(input)
      .filter((name) => !isRead(name, host))
      .map((name) => `${call}: ${name}`),
  );
  expect(unread).toEqual([]);
});

test('[AU-12] every option of a command is read in its file', () => {
  const unread = sourcesIn('src-main/cli').flatMap((source) =>
    [...source.matchAll(/\.option\(\s*'([^']+)'/g)].flatMap(([, flags = '']) => {
      const flag = /--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';
      const name = flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const rest = source.replaceAll(/interface \w+[^{]*\{[^}]*\}/g, '');
      return new RegExp(String.raw`\.${name}\b|[{,]\s*${name}\s*[,:=}]`).test(rest) ? [] : [flags];
    }),
  );
  expect(unread).toEqual([]);
});
