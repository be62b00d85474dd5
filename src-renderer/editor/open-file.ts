// A file that is being edited: the text as typed, the text as it is on disk, and which text on disk
// the person has seen. The file is the truth; nothing here overwrites either side unasked.
import type { WorkflowFileView } from '#shared/api/workflow-files.ts';
import type { UnsavedText } from '#renderer/editor/unsaved-changes.ts';

export interface OpenFile {
  /** As it is on disk, as far as is known here. */
  readonly disk: { readonly source: string | null; readonly sha: string | null };
  readonly text: string;
  /** Of the text on disk that the person has seen; a save replaces that one only. */
  readonly basedOn: string | null;
  /** Something to tell: changes of an earlier visit are here, or the text was replaced. */
  readonly note: 'restored' | 'reloaded' | null;
}

type FileOnDisk = Pick<WorkflowFileView, 'source' | 'sha'>;

export function openFile({ source, sha }: FileOnDisk, unsaved: UnsavedText | null): OpenFile {
  const disk = { source, sha };
  if (unsaved === null || unsaved.text === source) {
    return { disk, text: source ?? '', basedOn: sha, note: null };
  }
  return { disk, text: unsaved.text, basedOn: unsaved.basedOn, note: 'restored' };
}

export const isDirty = ({ disk, text }: OpenFile): boolean => text !== (disk.source ?? '');

/** The file is another than the one that the person's changes were made to. */
export const hasConflict = (file: OpenFile): boolean =>
  isDirty(file) && file.disk.sha !== file.basedOn;

/** The file was read again. Without changes of one's own there is nothing to choose. */
export function afterDiskChange(file: OpenFile, { source, sha }: FileOnDisk): OpenFile {
  if (sha === file.disk.sha) return file;
  const disk = { source, sha };
  if (isDirty(file) || source === null) return { ...file, disk };
  return { disk, text: source, basedOn: sha, note: 'reloaded' };
}

export const withText = (file: OpenFile, text: string): OpenFile => ({ ...file, text, note: null });

/** `text`: what was sent; more may have been typed since. */
export function afterSave(file: OpenFile, text: string, sha: string): OpenFile {
  return { ...file, disk: { source: text, sha }, basedOn: sha, note: null };
}

/** The next save replaces what the other program wrote. */
export const keepMine = (file: OpenFile): OpenFile => ({
  ...file,
  basedOn: file.disk.sha,
  note: null,
});

export const takeTheirs = ({ disk }: OpenFile): OpenFile => ({
  disk,
  text: disk.source ?? '',
  basedOn: disk.sha,
  note: null,
});
