// Toasts after an action, optionally with undo:
//
//   say({ sentence: text.runs.canceled(3), undo: () => void bringBack() });
//
// Never for anything a person must not miss; that belongs on the page. Uses React Aria's queue and
// not sonner, which writes a style element at run time that our CSP forbids.
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components';

export interface Message {
  readonly sentence: string;
  readonly tone?: 'plain' | 'bad';
  /** Undoes the action. Pressing it closes the toast. */
  readonly undo?: () => void;
  /** Link to the result. */
  readonly to?: { readonly href: string; readonly name: string };
}

/** Long enough to read and reach the button; longer with undo. */
const SHORT_MS = 6_000;
const WITH_UNDO_MS = 12_000;

export const messages = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** The returned function closes the toast. */
export function say(message: Message): () => void {
  const hasWay = message.undo !== undefined || message.to !== undefined;
  const key = messages.add(message, { timeout: hasWay ? WITH_UNDO_MS : SHORT_MS });
  return () => messages.close(key);
}
