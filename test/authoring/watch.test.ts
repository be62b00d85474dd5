import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { POSTER, startEngine } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { isWindows, onWindows } from '#test/support/not-run.ts';

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

  it.each(['while it is watched', 'while no host runs'])(
    '[AU-11] a file that was renamed in its folder %s is named, with how to link it',
    async (when) => {
      const { library, store } = startEngine();
      const folder = tempFolder();
      const path = join(folder, 'w.ts');
      writeFileSync(path, POSTER);
      writeFileSync(join(folder, 'other.ts'), '// another file');
      const { workflowId } = await library.add(path);
      const isWatched = when === 'while it is watched';
      if (!isWatched) renameSync(path, join(folder, 'renamed.ts'));
      library.watch();
      onTestFinished(() => library.close());
      if (isWatched) {
        appendFileSync(path, '\n// changed');
        const draft = () => store.workflows.get(workflowId)?.draft;
        await vi.waitFor(() => expect(draft()).not.toBeNull(), { timeout: 10_000 });
        renameSync(path, join(folder, 'renamed.ts'));
      }
      const problem = (): string =>
        store.laneValidation.get(workflowId, 'draft')?.problems[0] ?? '';
      await vi.waitFor(() => expect(problem()).toMatch(/w\.ts is gone.*renamed\.ts.*--link/), {
        timeout: 10_000,
      });
      expect(store.workflows.ids()).toEqual([workflowId]);
    },
  );
});

describe('a file with the name of another workflow', () => {
  it('[AU-10] is refused, naming the other one and how to link it, and nothing is written', async () => {
    const { library, store } = startEngine();
    const folder = tempFolder();
    const [path, renamed] = [join(folder, 'w.ts'), join(folder, 'renamed.ts')];
    writeFileSync(path, POSTER);
    const { workflowId } = await library.add(path);
    renameSync(path, renamed);
    await expect(library.add(renamed)).rejects.toThrow(
      /same name, "Poster" \(its file is .*w\.ts, which is gone\)\. Nothing was added\..*--link/,
    );
    writeFileSync(path, POSTER);
    await expect(library.add(renamed)).rejects.toThrow(/its file is .*w\.ts\)/);
    expect(store.workflows.ids()).toEqual([workflowId]);
    expect(store.workflowFiles.list().length).toBe(1);
  });

  it('[AU-10] becomes the file of that workflow when it is linked, by name or id', async () => {
    const { library, store } = startEngine();
    const folder = tempFolder();
    const paths = ['w.ts', 'x.ts', 'y.ts'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of paths) writeFileSync(path, POSTER);
    const { workflowId } = await library.add(paths[0]);
    expect((await library.add(paths[1], true)).workflowId).toBe(workflowId);
    expect((await library.add(paths[2], workflowId)).workflowId).toBe(workflowId);
    expect(store.workflowFiles.list()).toEqual([{ workflowId, path: paths[2] }]);
    expect(store.workflows.get(workflowId)?.draft).toBeNull();
  });

  it('[AU-10] is not linked to a workflow while it is the file of another', async () => {
    const { add, library, store } = startEngine();
    const folder = tempFolder();
    const path = join(folder, 'w.ts');
    writeFileSync(path, POSTER);
    const { workflowId } = await library.add(path);
    const second = await add(POSTER.replace(`'Poster'`, `'Second'`), 'x');
    await expect(library.add(path, second)).rejects.toThrow(
      'w.ts is already the file of the workflow "Poster". Nothing was changed.',
    );
    expect(store.workflowFiles.ofPath(path)).toBe(workflowId);
    expect((await library.add(path, workflowId)).workflowId).toBe(workflowId);
  });

  it('[AU-10] gets a note if its changed name is that of another workflow', async () => {
    const { add, library } = startEngine();
    await add(POSTER.replace(`'Poster'`, `'Second'`), 'x');
    const path = join(tempFolder(), 'w.ts');
    writeFileSync(path, POSTER);
    const { warnings } = await library.add(path);
    writeFileSync(path, POSTER.replace(`'Poster'`, `'Second'`));
    expect((await library.add(path)).warnings).toEqual([
      ...warnings,
      'Another workflow has the name "Second". Change one of the names, or use the ids to tell them apart.',
    ]);
  });

  it.skipIf(isWindows)(
    `[AU-13] is refused if it is a pipe; one beside a renamed file is not opened${onWindows}`,
    async () => {
      const { library, store } = startEngine();
      const folder = tempFolder();
      const [pipe, path] = [join(folder, 'a-pipe.ts'), join(folder, 'w.ts')];
      execFileSync('/usr/bin/env', ['mkfifo', pipe]);
      await expect(library.add(pipe)).rejects.toThrow(
        /^Could not read .*a-pipe\.ts: it is not a regular file\. Nothing was added\.$/,
      );
      writeFileSync(path, POSTER);
      const { workflowId } = await library.add(path);
      renameSync(path, join(folder, 'renamed.ts'));
      library.watch();
      onTestFinished(() => library.close());
      const problems = () => store.laneValidation.get(workflowId, 'draft')?.problems;
      await vi.waitFor(() => expect(problems()?.[0]).toContain('renamed.ts'), { timeout: 10_000 });
    },
  );

  it('[AU-10] is a second workflow under another name', async () => {
    const { add, store } = startEngine();
    await add(POSTER, 'w');
    await add(POSTER.replace(`'Poster'`, `'Second'`), 'x');
    expect(store.workflows.ids().length).toBe(2);
  });

  it('[AU-10] cannot be linked if there is no such workflow, or several of its name', async () => {
    const { library, store } = startEngine();
    const path = join(tempFolder(), 'w.ts');
    writeFileSync(path, POSTER);
    await expect(library.add(path, true)).rejects.toThrow(
      'There is no workflow with the name "Poster". Nothing was added.',
    );
    for (const id of ['wf-1', 'wf-2'])
      store.workflows.create(id, { name: 'Poster', scriptId: null });
    await expect(library.add(path, true)).rejects.toThrow(
      'There are 2 workflows with the name "Poster".',
    );
    expect(store.workflowFiles.list()).toEqual([]);
  });
});
