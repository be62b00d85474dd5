// Short messages after an act, with a way back where there is one:
//
//   showToast({ text: text.runs.canceled(3), undo: () => void bringBack() });
//
// They never carry what a person must not miss: that stands on the page. React Aria's queue and
// not sonner: sonner writes a style element at run time, which our policy forbids.
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components';

export interface ToastMessage {
  readonly text: string;
  readonly tone?: 'plain' | 'bad';
  /** Takes it back. The message goes when it is pressed. */
  readonly undo?: () => void;
  /** Where to see what came of it. */
  readonly to?: { readonly href: string; readonly name: string };
}

/** Long enough to read it and come to the button; with a way back, longer. */
const SHORT_MS = 6_000;
const WITH_UNDO_MS = 12_000;

export const toastQueue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 3 });

/** The returned function takes the message away, where what it says has come to an end. */
export function showToast(message: ToastMessage): () => void {
  const hasAction = message.undo !== undefined || message.to !== undefined;
  const key = toastQueue.add(message, { timeout: hasAction ? WITH_UNDO_MS : SHORT_MS });
  return () => toastQueue.close(key);
}
