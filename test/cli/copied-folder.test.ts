// Commands on a copy of a data folder, which is a new device that runs nothing.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdfast, postingWorkflow, succeeds } from '#test/cli/holdfast.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

test('[CL-9] [CL-10] list, doctor and run on a copied folder say which device runs the workflow', async () => {
  const folder = tempFolder();
  const [original, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const file = join(folder, 'poster.ts');
  writeFileSync(file, postingWorkflow('127.0.0.1:9'));
  await succeeds('add', file, '--data', original);
  await succeeds('rename', 'Desk', '--data', original);
  cpSync(original, copy, { recursive: true });

  expect(await succeeds('list', '--data', copy)).toMatch(/poster +run by Desk/);
  const doctor = await holdfast('doctor', '--data', copy);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/✗ workflows +none of 1 runs here/);
  expect(await succeeds('run', 'poster', 'tick', '--data', copy)).toBe(
    'This waits for Desk, which runs the workflow, and takes effect when it gets there.\n',
  );
  expect(await succeeds('list', '--data', original)).toMatch(/poster +active/);
});
