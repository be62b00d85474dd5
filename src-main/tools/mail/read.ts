// Reads one mail without marking it as seen: EXAMINE opens the folder, BODY.PEEK fetches parts. Only
// texts are fetched; attachments are listed.
import type { ImapFlow } from 'imapflow';
import { z } from 'zod';
import type { MailGrant } from '#main/tools/mail/grant.ts';
import { ImapAnswerUnclear, withImap, type MailNetwork } from '#main/tools/mail/imap-session.ts';
import { MAX_BODY_BYTES } from '#main/tools/mail/limits.ts';
import { keepable, summaryOf, SUMMARY_QUERY } from '#main/tools/mail/mail-view.ts';
import { mailParts } from '#main/tools/mail/mime-parts.ts';
import { folderName } from '#main/tools/mail/search.ts';
import type { ReadOutcome, ToolContext } from '#main/tools/tool.ts';

export const readParams = z.strictObject({
  folder: folderName.optional(),
  uid: z.int().min(1).max(4_294_967_295),
});

export type ReadParams = z.infer<typeof readParams>;

export async function readMail(
  context: ToolContext<MailGrant> & MailNetwork,
  params: ReadParams,
): Promise<ReadOutcome> {
  const folder = params.folder ?? 'INBOX';
  const read = await withImap(context, async (client) => {
    const lock = await client.getMailboxLock(folder, { readOnly: true });
    try {
      return await viewOf(client, params.uid);
    } finally {
      lock.release();
    }
  });
  if (read.type === 'failed') return read;
  if (read.value === null) {
    return {
      type: 'failed',
      errorType: 'logic',
      error: `There is no mail with the UID ${params.uid} in ${folder}. It may have been moved or deleted.`,
    };
  }
  return { type: 'ok', result: read.value };
}

async function viewOf(client: ImapFlow, uid: number) {
  const query = { ...SUMMARY_QUERY, bodyStructure: true };
  const mail = await client.fetchOne(uid, query, { uid: true });
  if (!mail) return null;
  if (!mail.bodyStructure)
    throw new ImapAnswerUnclear('The server did not report the structure of the mail.');
  const parts = mailParts(mail.bodyStructure);
  const text = await bodyOf(client, uid, parts.text);
  const html = await bodyOf(client, uid, parts.html);
  return {
    ...summaryOf(mail),
    text: text.content,
    ...(parts.html.length === 0 ? {} : { html: html.content }),
    /** Whether text or html was truncated. */
    truncated: text.truncated || html.truncated,
    attachments: parts.attachments.map((attachment) => ({ ...attachment })),
  };
}

async function bodyOf(client: ImapFlow, uid: number, parts: readonly string[]) {
  const pieces: Buffer[] = [];
  let room = MAX_BODY_BYTES;
  let truncated = false;
  for (const part of parts) {
    if (room === 0) {
      truncated = true;
      break;
    }
    // One byte more than the limit shows whether there was more.
    const piece = await download(client, uid, part, room + 1);
    truncated ||= piece.length > room;
    pieces.push(piece.subarray(0, room));
    room -= pieces.at(-1)?.length ?? 0;
  }
  return { content: decode(Buffer.concat(pieces), truncated), truncated };
}

async function download(
  client: ImapFlow,
  uid: number,
  part: string,
  maxBytes: number,
): Promise<Buffer> {
  // imapflow decodes the transfer encoding and returns UTF-8.
  const { content } = await client.download(uid, part, { uid: true, maxBytes });
  const chunks: Buffer[] = [];
  for await (const chunk of content ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A truncated text can end inside a character, which a streaming decoder drops. */
function decode(bytes: Buffer, truncated: boolean): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: truncated });
  return keepable(text).replaceAll('\r\n', '\n');
}
