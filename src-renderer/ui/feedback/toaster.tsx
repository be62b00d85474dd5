// Renders the toasts of `toast.ts`: on top, announced, and paused on hover.
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { Button as AriaButton, Text } from 'react-aria-components';
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { shellText } from '#renderer/text/shell-text.ts';
import { toastQueue, type ToastMessage } from '#renderer/ui/feedback/toast.ts';

export function Toaster() {
  return (
    <ToastRegion
      queue={toastQueue}
      aria-label={shellText.toast.region}
      className="fixed right-4 bottom-4 left-4 z-40 flex flex-col-reverse items-end gap-2 outline-none sm:left-auto"
    >
      {({ toast }) => (
        <Toast
          toast={toast}
          className="flex w-full max-w-sm items-start gap-2.5 rounded-lg bg-surface px-3.5 py-3 text-[0.8125rem] shadow-overlay sm:w-sm"
        >
          <ToastIcon tone={toast.content.tone ?? 'plain'} />
          <ToastContent className="min-w-0 flex-1 wrap-anywhere">
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          <AriaButton
            slot="close"
            aria-label={shellText.toast.dismiss}
            className="-my-1 -mr-1.5 grid size-7 shrink-0 place-items-center rounded-md text-muted data-hovered:bg-hover data-hovered:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  );
}

function ToastIcon({ tone }: { readonly tone: NonNullable<ToastMessage['tone']> }) {
  const Icon = tone === 'bad' ? CircleAlert : CircleCheck;
  const colour = tone === 'bad' ? 'text-bad' : 'text-good';
  return <Icon aria-hidden className={`mt-px size-4 shrink-0 ${colour}`} />;
}
