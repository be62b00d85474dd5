// docs/tools.md lists every method, and the check fails if it is stale.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import type { Runner } from '#main/runner/runner.ts';
import { createTools, describeTools } from '#main/tools/registry.ts';
import { runNode } from '#test/support/child-processes.ts';

const text = readFileSync(join(packageRoot(), 'docs/tools.md'), 'utf8');

test('[DC-5] the tools reference has every tool, method and field', () => {
  const runner = {} as Runner;
  const tools = describeTools(createTools({ notifier: async () => {}, dataDir: '/x', runner }));
  for (const { namespace, methods } of tools) {
    expect(text).toContain(`\n## ${namespace}\n`);
    for (const { name, params } of methods) {
      const part = text.split(`\n### ${name}\n`)[1]?.split('\n##')[0] ?? '';
      for (const field of Object.keys((params as { properties: object }).properties)) {
        expect(part, name).toContain(`| \`${field}\` |`);
      }
    }
  }
});

test('[DC-5] it is what the schemas say now', async () => {
  expect(await runNode('scripts/tools-doc.ts', ['--check'])).toMatchObject({ code: 0 });
});
