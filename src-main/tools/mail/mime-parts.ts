// Which parts of a mail are its text, which its HTML, which its attachments: a walk over the
// structure that the server tells, before any content is fetched.
import type { MessageStructureObject } from 'imapflow';
import { MAX_ATTACHMENTS_NAMED, MAX_MIME_DEPTH } from '#main/tools/mail/limits.ts';
import { headerText } from '#main/tools/mail/mail-view.ts';

export interface AttachmentView {
  filename: string | null;
  contentType: string;
  /** As it is encoded in the mail, which is what the server counts. */
  size: number;
}

export interface MailParts {
  readonly text: readonly string[];
  readonly html: readonly string[];
  readonly attachments: readonly AttachmentView[];
}

export function mailParts(structure: MessageStructureObject): MailParts {
  const leaves = leavesOf(structure, 0);
  const bodies = (type: string): string[] =>
    leaves.filter((leaf) => isBody(leaf) && leaf.type === type).map(partOf);
  return {
    text: bodies('text/plain'),
    html: bodies('text/html'),
    attachments: leaves
      .filter((leaf) => !isBody(leaf))
      .slice(0, MAX_ATTACHMENTS_NAMED)
      .map(attachmentOf),
  };
}

function leavesOf(node: MessageStructureObject, depth: number): MessageStructureObject[] {
  // A mail within a mail is one attachment, whatever it has inside.
  if (!node.type.startsWith('multipart/') || depth === MAX_MIME_DEPTH) return [node];
  return (node.childNodes ?? []).flatMap((child) => leavesOf(child, depth + 1));
}

function isBody(leaf: MessageStructureObject): boolean {
  const isText = leaf.type === 'text/plain' || leaf.type === 'text/html';
  return isText && leaf.disposition !== 'attachment' && filenameOf(leaf) === undefined;
}

/** A mail that is not multipart has one part, which the server does not number. */
function partOf(leaf: MessageStructureObject): string {
  return leaf.part ?? '1';
}

function attachmentOf(leaf: MessageStructureObject): AttachmentView {
  const filename = filenameOf(leaf);
  return {
    filename: filename === undefined ? null : headerText(filename),
    contentType: headerText(leaf.type),
    size: leaf.size ?? 0,
  };
}

function filenameOf(leaf: MessageStructureObject): string | undefined {
  return leaf.dispositionParameters?.['filename'] ?? leaf.parameters?.['name'];
}
