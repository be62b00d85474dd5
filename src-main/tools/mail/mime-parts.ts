// Finds text, HTML and attachments in the structure that the server reports, before fetching any
// content.
import type { MessageStructureObject } from 'imapflow';
import { MAX_ATTACHMENTS_NAMED, MAX_MIME_DEPTH } from '#main/tools/mail/limits.ts';
import { headerText } from '#main/tools/mail/mail-view.ts';

export interface AttachmentView {
  filename: string | null;
  contentType: string;
  /** Encoded size, as the server counts it. */
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
  // A forwarded mail counts as one attachment.
  if (!node.type.startsWith('multipart/') || depth === MAX_MIME_DEPTH) return [node];
  return (node.childNodes ?? []).flatMap((child) => leavesOf(child, depth + 1));
}

function isBody(leaf: MessageStructureObject): boolean {
  const isText = leaf.type === 'text/plain' || leaf.type === 'text/html';
  return isText && leaf.disposition !== 'attachment' && filenameOf(leaf) === undefined;
}

/** A mail that is not multipart has one unnumbered part. */
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
