// The IPC transport. Inputs are JSON text, as over HTTP: the same parser and size limit apply, and no
// structured-clone values (dates, maps, cycles) reach a handler.
import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { parseJson } from '#main/boundary/http-body.ts';
import type { Host } from '#main/host/host.ts';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';
import { CALL_CHANNEL, FEED_CHANNEL, FOLLOW_CHANNEL } from '#main/shell/channels.ts';
import type { ApiErrorBody, ApiResult } from '#shared/api/errors.ts';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';

export function registerIpc(host: Host): void {
  ipcMain.handle(CALL_CHANNEL, async (event, name: unknown, text: unknown) => {
    if (!isOurPage(event)) {
      return refuse('forbidden', "Only Holdfast's window may make calls. Nothing was changed.");
    }
    return answer(host, name, text);
  });
  ipcMain.handle(FOLLOW_CHANNEL, (event, subscriptionId: unknown) => {
    if (isOurPage(event) && typeof subscriptionId === 'string') {
      subscribe(host, event.sender, subscriptionId);
    }
  });
}

async function answer(host: Host, name: unknown, text: unknown): Promise<ApiResult<unknown>> {
  if (typeof name !== 'string' || typeof text !== 'string') {
    return refuse('invalid_input', 'A call needs a name and JSON text. Nothing was written.');
  }
  if (Buffer.byteLength(text) > MAX_REQUEST_BYTES) {
    return refuse(
      'too_large',
      `The input is larger than ${MAX_REQUEST_BYTES} bytes. Nothing was written. Put large content in a file.`,
    );
  }
  const body = parseJson(text);
  return body.ok ? host.dispatch(name, body.value) : { ok: false, error: body.error };
}

const subscriptions = new WeakMap<WebContents, () => void>();

/**
 * One subscription per page; a reload replaces it. Messages carry the page's subscription id, so that
 * the page can drop messages of an earlier subscription that are still in transit.
 */
function subscribe(host: Host, sender: WebContents, subscriptionId: string): void {
  subscriptions.get(sender)?.();
  const unsubscribe = host.feed.subscribe((message) => {
    if (!sender.isDestroyed()) sender.send(FEED_CHANNEL, subscriptionId, message);
  });
  if (!subscriptions.has(sender)) sender.once('destroyed', () => subscriptions.get(sender)?.());
  subscriptions.set(sender, unsubscribe);
}

function isOurPage(event: IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame.parent === null && frame.origin === APP_ORIGIN;
}

function refuse(type: ApiErrorBody['type'], message: string): ApiResult<never> {
  return { ok: false, error: { type, message } };
}
