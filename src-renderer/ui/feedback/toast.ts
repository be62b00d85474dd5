// Toasts after an action, optionally with undo:
//
//   showToast({ text: text.runs.canceled(3), undo: () => void bringBack() });
//
// Never for anything a person must not miss; that belongs on the page. Uses React Aria's queue and
// not sonner, which writes a style element at run time that our CSP forbids.
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components';

export interface ToastMessage {
  readonly text: string;
  readonly tone?: 'plain' | 'bad';
  /** Undoes the action. Pressing it closes the toast. */
  readonly undo?: () => void;
  /** Link to the result. */
  readonly to?: { readonly href: string; readonly name: string };
}

/** Long enough to read and reach the button; longer with undo. */
const SHORT_MS = 6_000;
const WITH_UNDO_MS = 12_000;

export const toastQueue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 3 });

/** The returned function closes the toast. */
export function showToast(message: ToastMessage): () => void {
  const hasAction = message.undo !== undefined || message.to !== undefined;
  const key = toastQueue.add(message, { timeout: hasAction ? WITH_UNDO_MS : SHORT_MS });
  return () => toastQueue.close(key);
}
