import { beforeEach, describe, expect, test } from 'vitest';
import {
  afterDiskChange,
  hasConflict,
  isDirty,
  keepMine,
  openFile,
  afterSave,
  takeTheirs,
  withText,
} from '#renderer/editor/open-file.ts';
import {
  removeUnsaved,
  hasUnsaved,
  storeUnsaved,
  readUnsaved,
} from '#renderer/editor/unsaved-changes.ts';

const onDisk = (source: string | null) => ({ source, sha: source && `sha of ${source}` });

describe('an open file', () => {
  test('[WF-7] a file without unsaved changes reloads when the disk changes, with a note', () => {
    const file = afterDiskChange(openFile(onDisk('a'), null), onDisk('b'));
    expect(file).toMatchObject({ text: 'b', basedOn: 'sha of b', note: 'reloaded' });
    expect(isDirty(file)).toBe(false);
    // The same text again changes nothing.
    expect(afterDiskChange(file, onDisk('b'))).toBe(file);
  });

  test('[WF-7] with unsaved changes, both texts stay until the person chooses one', () => {
    const mine = withText(openFile(onDisk('a'), null), 'mine');
    expect(hasConflict(mine)).toBe(false);
    const both = afterDiskChange(mine, onDisk('theirs'));
    expect(both).toMatchObject({ text: 'mine', basedOn: 'sha of a', disk: { source: 'theirs' } });
    expect(hasConflict(both)).toBe(true);
    const kept = keepMine(both);
    expect(kept).toMatchObject({ text: 'mine', basedOn: 'sha of theirs' });
    expect(hasConflict(kept)).toBe(false);
    expect(isDirty(kept)).toBe(true);
    expect(takeTheirs(both)).toMatchObject({ text: 'theirs', basedOn: 'sha of theirs' });
    // Both texts are equal: there is nothing to choose.
    expect(hasConflict(afterDiskChange(mine, onDisk('mine')))).toBe(false);
  });

  test('[WF-7] when the file is gone, its text stays and can be saved again', () => {
    const gone = afterDiskChange(openFile(onDisk('a'), null), onDisk(null));
    expect(gone.text).toBe('a');
    expect(isDirty(gone)).toBe(true);
    expect(keepMine(gone).basedOn).toBeNull();
  });

  test('[WF-7] text typed during a save stays unsaved', () => {
    const more = withText(withText(openFile(onDisk('a'), null), 'sent'), 'sent and more');
    const after = afterSave(more, 'sent', 'sha of sent');
    expect(after).toMatchObject({ text: 'sent and more', basedOn: 'sha of sent' });
    expect(isDirty(after)).toBe(true);
    expect(hasConflict(after)).toBe(false);
    // The feed then reports the text that was saved.
    expect(afterDiskChange(after, onDisk('sent'))).toBe(after);
  });

  test('[WF-7] unsaved changes are restored with the version they were based on', () => {
    const unsaved = { text: 'mine', basedOn: 'sha of a' };
    expect(openFile(onDisk('a'), unsaved)).toMatchObject({ text: 'mine', note: 'restored' });
    expect(hasConflict(openFile(onDisk('b'), unsaved))).toBe(true);
    expect(openFile(onDisk('mine'), unsaved)).toMatchObject({ note: null, basedOn: 'sha of mine' });
  });
});

describe('unsaved text', () => {
  beforeEach(() => sessionStorage.clear());

  test('[WF-7] is stored per workflow, and removed on request', () => {
    storeUnsaved('w', { text: 'mine', basedOn: null });
    expect(readUnsaved('w')).toEqual({ text: 'mine', basedOn: null });
    expect(hasUnsaved('other')).toBe(false);
    expect(sessionStorage.getItem('holdfast.unsaved.w')).toContain('mine');
    removeUnsaved('w');
    expect(hasUnsaved('w')).toBe(false);
    expect(sessionStorage.length).toBe(0);
  });

  test('[WF-7] survives a reload; an unreadable entry is ignored', () => {
    const text = JSON.stringify({ text: 'from before', basedOn: 'x' });
    sessionStorage.setItem('holdfast.unsaved.reloaded', text);
    expect(readUnsaved('reloaded')?.text).toBe('from before');
    sessionStorage.setItem('holdfast.unsaved.broken', '{"text":1}');
    expect(readUnsaved('broken')).toBeNull();
  });
});
