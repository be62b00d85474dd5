import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unrunnableScripts } from '#main/runner/build-command.ts';
import { createNetworkIsolation } from '#main/runner/network-isolation.ts';
import { registrySchema } from '#shared/runner/registry.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

it('[RU-17] names each folder that is missing and each program that can’t be executed', async () => {
  const folder = tempFolder();
  for (const name of ['runs.sh', 'plain.sh']) writeFileSync(join(folder, name), '#!/bin/sh\n');
  chmodSync(join(folder, 'runs.sh'), 0o755);
  chmodSync(join(folder, 'plain.sh'), 0o644);
  const script = (executable: string, repos: string[]) => ({ title: 'T', executable, repos });
  const registry = registrySchema.parse({
    repos: { here: { path: folder }, gone: { path: '/nowhere/at/all' } },
    scripts: {
      runs: script('runs.sh', ['here']),
      plain: script('plain.sh', ['here']),
      missing: script('missing.sh', ['here']),
    },
  });
  const problems = await unrunnableScripts(registry, createNetworkIsolation());
  expect(problems).toEqual([
    `The repo "gone" can't be used: The folder /nowhere/at/all doesn't exist.`,
    expect.stringMatching(/^The script "plain" can't run: .*EACCES.*chmod \+x .*plain\.sh$/),
    expect.stringMatching(/^The script "missing" can't run: .*ENOENT/),
  ]);
});
