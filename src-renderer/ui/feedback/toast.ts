// Toasts after an action:
//
//   showToast({ text: text.runs.canceled(3) });
//
// Never for anything a person must not miss; that belongs on the page. Uses React Aria's queue and
// not sonner, which writes a style element at run time that our CSP forbids.
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components';

export interface ToastMessage {
  readonly text: string;
  readonly tone?: 'plain' | 'bad';
}

const SHOWN_MS = 6_000;

export const toastQueue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 3 });

export function showToast(message: ToastMessage): void {
  toastQueue.add(message, { timeout: SHOWN_MS });
}
