// Renders the toasts of `toast.ts`: on top, announced, and paused on hover.
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { Button as AriaButton, Text } from 'react-aria-components';
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { frame } from '#renderer/text/frame-text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { messages, type Message } from '#renderer/ui/toast.ts';

export function Toaster() {
  return (
    <ToastRegion
      queue={messages}
      aria-label={frame.toast.region}
      className="fixed right-4 bottom-4 left-4 z-40 flex flex-col-reverse items-end gap-2 outline-none sm:left-auto"
    >
      {({ toast }) => (
        <Toast
          toast={toast}
          className="flex w-full max-w-sm items-start gap-2.5 rounded-lg bg-surface px-3.5 py-3 text-[0.8125rem] shadow-overlay sm:w-sm"
        >
          <Mark tone={toast.content.tone ?? 'plain'} />
          <ToastContent className="min-w-0 flex-1 wrap-anywhere">
            <Text slot="title">{toast.content.sentence}</Text>
          </ToastContent>
          <Ways message={toast.content} onTaken={() => messages.close(toast.key)} />
          <AriaButton
            slot="close"
            aria-label={frame.toast.dismiss}
            className="-my-1 -mr-1.5 grid size-7 shrink-0 place-items-center rounded-md text-muted data-hovered:bg-hover data-hovered:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  );
}

function Mark({ tone }: { readonly tone: NonNullable<Message['tone']> }) {
  const Icon = tone === 'bad' ? CircleAlert : CircleCheck;
  const look = tone === 'bad' ? 'text-bad' : 'text-good';
  return <Icon aria-hidden className={`mt-px size-4 shrink-0 ${look}`} />;
}

function Ways({ message, onTaken }: { readonly message: Message; readonly onTaken: () => void }) {
  const look = 'shrink-0 rounded-sm font-medium text-accent hover:underline';
  const { undo, to } = message;
  return (
    <>
      {to === undefined ? null : (
        <Link to={to.href} className={look}>
          {to.name}
        </Link>
      )}
      {undo === undefined ? null : (
        <AriaButton
          className={look}
          onPress={() => {
            onTaken();
            undo();
          }}
        >
          {frame.toast.undo}
        </AriaButton>
      )}
    </>
  );
}
