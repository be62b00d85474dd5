// Short messages after an act, with a way back where there is one:
//
//   say({ sentence: text.runs.canceled(3), undo: () => void bringBack() });
//
// They never carry what a person must not miss: that stands on the page. React Aria's queue and
// not sonner: sonner writes a style element at run time, which our policy forbids.
import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components';

export interface Message {
  readonly sentence: string;
  readonly tone?: 'plain' | 'bad';
  /** Takes it back. The message goes when it is pressed. */
  readonly undo?: () => void;
  /** Where to see what came of it. */
  readonly to?: { readonly href: string; readonly name: string };
}

/** Long enough to read it and come to the button; with a way back, longer. */
const SHORT_MS = 6_000;
const WITH_UNDO_MS = 12_000;

export const messages = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** The returned function takes the message away, where what it says has come to an end. */
export function say(message: Message): () => void {
  const hasWay = message.undo !== undefined || message.to !== undefined;
  const key = messages.add(message, { timeout: hasWay ? WITH_UNDO_MS : SHORT_MS });
  return () => messages.close(key);
}
