// The testing kit in an author's project: Holdfast as a dependency, with node:test and with vitest.
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** The same test for both runners; `after` is how they close the host. */
const body = (after: string): string => `
  const notes = process.env.NOTES;
  const w = await testWorkflow('note.ts', {
    places: { '~/Notes': notes },
    faults: ['crash after the first files.append'],
    after: ${after},
  });
  await w.publish('note', { id: 'n-1', payload: 'hello' });
  assert.strictEqual(w.reached('files.append').length, 1);
  await w.assertDone();
  w.assertNothingTwice();
  assert.strictEqual(readFileSync(notes + '/notes.txt', 'utf8').split('hello').length, 2);`;

const AUTHORS_TEST = `
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { testWorkflow } from 'holdfast/testing';

test('the note is written once although the host crashes', async (t) => {${body('(close) => t.after(close)')}
});
`;

const AUTHORS_VITEST = `
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { onTestFinished, test } from 'vitest';
import { testWorkflow } from 'holdfast/testing';

test('the note is written once although the host crashes', async () => {${body('onTestFinished')}
}, 60_000);
`;

const NOTE = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'note',
  uses: { files: { folders: ['~/Notes'] } },
  topics: ['note'],
  consumers: {
    write: {
      subscribes: 'note',
      async prepare(ctx) {
        const [event] = await ctx.peek('note', { limit: 1 });
        if (event) return { reservations: [event], data: event.payload };
      },
      async mutate(ctx, { data }) {
        await ctx.tools.files.append({ path: '~/Notes/notes.txt', text: data });
      },
    },
  },
});
`;

/** A project of an author with these packages and its workflow. */
function project(file: string, text: string, packages: readonly string[]): string {
  const folder = tempFolder();
  mkdirSync(join(folder, 'node_modules'));
  for (const name of packages) {
    const from = name === 'holdfast' ? packageRoot() : join(packageRoot(), 'node_modules', name);
    symlinkSync(from, join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'note.ts'), NOTE);
  writeFileSync(join(folder, file), text);
  return folder;
}

async function outputOf(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, NOTES: tempFolder(), NODE_OPTIONS: '', NO_COLOR: '1', VITEST: '' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  return stdout;
}

test('[TK-7] a project tests its workflow with node:test, and the process exits', async () => {
  const cwd = project('note.test.mjs', AUTHORS_TEST, ['holdfast']);
  const stdout = await outputOf(cwd, '--test', '--test-reporter=tap', 'note.test.mjs');
  expect(stdout).toContain('# pass 1');
  expect(stdout).toContain('# fail 0');
});

test('[TK-7] a project tests its workflow with vitest, and the process exits', async () => {
  const cwd = project('note.test.js', AUTHORS_VITEST, ['holdfast', 'vitest']);
  const stdout = await outputOf(
    cwd,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=tap-flat',
  );
  expect(stdout).toMatch(/^ok 1 - .*the note is written once although the host crashes/m);
  expect(stdout).not.toMatch(/^not ok/m);
});
