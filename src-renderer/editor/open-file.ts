// State of an open file: the typed text, the text on disk, and the disk version the edits are based
// on. Nothing here overwrites either side without being asked.
import type { WorkflowFileView } from '#shared/api/workflow-files.ts';
import type { UnsavedText } from '#renderer/editor/unsaved-changes.ts';

export interface OpenFile {
  /** The last known text on disk. */
  readonly disk: { readonly source: string | null; readonly sha: string | null };
  readonly text: string;
  /** Hash of the disk version the edits are based on. A save replaces only that version. */
  readonly basedOn: string | null;
  /** A notice to show: unsaved edits were restored, or the text was reloaded. */
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

/** True if the file changed on disk since the edits began. */
export const hasConflict = (file: OpenFile): boolean =>
  isDirty(file) && file.disk.sha !== file.basedOn;

/** Without unsaved edits the new text simply replaces the old one. */
export function afterDiskChange(file: OpenFile, { source, sha }: FileOnDisk): OpenFile {
  if (sha === file.disk.sha) return file;
  const disk = { source, sha };
  if (isDirty(file) || source === null) return { ...file, disk };
  return { disk, text: source, basedOn: sha, note: 'reloaded' };
}

export const withText = (file: OpenFile, text: string): OpenFile => ({ ...file, text, note: null });

/** `text` is what was sent. More may have been typed since. */
export function afterSave(file: OpenFile, text: string, sha: string): OpenFile {
  return { ...file, disk: { source: text, sha }, basedOn: sha, note: null };
}

/** Makes the next save replace what the other program wrote. */
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
