import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { POSTER, startEngine } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

describe('watched files', () => {
  it('[AU-6] become drafts when saved in place or by rename; an invalid one gives problems', async () => {
    const { library, store } = startEngine();
    const path = join(tempFolder(), 'w.ts');
    writeFileSync(path, POSTER);
    const { workflowId } = await library.add(path);
    library.watch();
    onTestFinished(() => library.close());
    const draft = (): string | undefined => store.workflows.get(workflowId)?.draft?.scriptId;
    appendFileSync(path, '\n// changed in place');
    await vi.waitFor(() => expect(draft()).toBeDefined(), { timeout: 10_000 });
    const first = draft();
    writeFileSync(`${path}.tmp`, `${POSTER}\n// changed by renaming`);
    renameSync(`${path}.tmp`, path);
    await vi.waitFor(() => expect(draft()).not.toBe(first), { timeout: 10_000 });
    writeFileSync(path, 'export default workflow({');
    const problems = (): readonly string[] | undefined =>
      store.laneValidation.get(workflowId, 'draft')?.problems;
    await vi.waitFor(() => expect(problems()?.[0]).toMatch(/w\.ts:\d+:\d+/), { timeout: 10_000 });
    expect(store.workflows.get(workflowId)?.status).toBe('active');
  });
});
