// The IPC transport. Inputs come as JSON text, like HTTP bodies: one way to read them, one limit,
// and nothing of structured cloning (dates, maps, cycles) ever reaches a handler.
import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { parseJson } from '#main/boundary/http-body.ts';
import type { Host } from '#main/host/host.ts';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';
import { CALL_CHANNEL, FEED_CHANNEL, FOLLOW_CHANNEL } from '#main/shell/channels.ts';
import type { ApiErrorBody, ApiResult } from '#shared/api/errors.ts';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';

export function registerIpc(host: Host): void {
  ipcMain.handle(CALL_CHANNEL, async (event, name: unknown, text: unknown) => {
    if (!isOurPage(event)) return refuse('forbidden', 'Only the window of Holdfast may call.');
    return answer(host, name, text);
  });
  ipcMain.handle(FOLLOW_CHANNEL, (event, name: unknown) => {
    if (isOurPage(event) && typeof name === 'string') follow(host, event.sender, name);
  });
}

async function answer(host: Host, name: unknown, text: unknown): Promise<ApiResult<unknown>> {
  if (typeof name !== 'string' || typeof text !== 'string') {
    return refuse('invalid_input', 'A call is a name and JSON text. Nothing was written.');
  }
  if (Buffer.byteLength(text) > MAX_REQUEST_BYTES) {
    return refuse(
      'too_large',
      `The input is larger than the ${MAX_REQUEST_BYTES} bytes that one call may have. Nothing was written.`,
    );
  }
  const body = parseJson(text);
  return body.ok ? host.dispatch(name, body.value) : { ok: false, error: body.error };
}

const followed = new WeakMap<WebContents, () => void>();

/**
 * A page that loads again follows anew; what it followed before ends. Each message carries the name
 * that the page gave its follow: one that is already on its way cannot be called back.
 */
function follow(host: Host, sender: WebContents, name: string): void {
  followed.get(sender)?.();
  const unsubscribe = host.feed.subscribe((message) => {
    if (!sender.isDestroyed()) sender.send(FEED_CHANNEL, name, message);
  });
  if (!followed.has(sender)) sender.once('destroyed', () => followed.get(sender)?.());
  followed.set(sender, unsubscribe);
}

function isOurPage(event: IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame.parent === null && frame.origin === APP_ORIGIN;
}

function refuse(type: ApiErrorBody['type'], message: string): ApiResult<never> {
  return { ok: false, error: { type, message } };
}
