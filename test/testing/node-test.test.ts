// The testing kit in an author's project: Holdfast as a dependency, with node:test.
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '#main/platform/package-root.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const AUTHORS_TEST = `
import assert from 'node:assert';
import { test } from 'node:test';
import { testWorkflow } from 'holdfast/testing';

test('the note is written once although the host crashes', async (t) => {
  const notes = process.env.NOTES;
  const w = await testWorkflow('note.ts', {
    places: { '~/Notes': notes },
    faults: ['crash after the first files.append'],
    after: (close) => t.after(close),
  });
  await w.publish('note', { id: 'n-1', payload: 'hello' });
  assert.strictEqual(w.reached('files.append').length, 1);
  await w.assertDone();
  w.assertNothingTwice();
});
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

test('[TK-7] a project tests its workflow with node:test, and the process exits', async () => {
  const project = tempFolder();
  const notes = tempFolder();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(packageRoot(), join(project, 'node_modules', 'holdfast'));
  writeFileSync(join(project, 'note.ts'), NOTE);
  writeFileSync(join(project, 'note.test.mjs'), AUTHORS_TEST);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--test', '--test-reporter=tap', 'note.test.mjs'],
    { cwd: project, env: { ...process.env, NOTES: notes, NODE_OPTIONS: '' } },
  );
  expect(stdout).toContain('# pass 1');
  expect(stdout).toContain('# fail 0');
});
