// Templates of the workflow editor.
import { expect, test } from 'vitest';
import { TEMPLATES } from '#renderer/editor/templates.ts';
import { succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';

test('[WF-5] every template is valid and has the name of its file', async () => {
  const host = createTestHost();
  for (const { fileName, source } of TEMPLATES) {
    const checked = await succeed(host.dispatch, 'workflows.validate', { source, fileName });
    expect(checked.problems, fileName).toEqual([]);
    expect(source).toContain(`name: '${fileName.replace(/\.ts$/, '')}'`);
  }
});
