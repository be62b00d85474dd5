// A saved decision that isn't carried out yet, with undo.
import { Undo2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useDeviceName } from '#renderer/stores/device-names.ts';
import type { Deciding } from '#renderer/inbox/use-decision.ts';
import { resolutionWord } from '#renderer/text/inbox-text.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Keys } from '#renderer/ui/keys.tsx';

interface Props {
  readonly deciding: Deciding;
  readonly canCheck: boolean;
  readonly isCurrent: boolean;
}

export function WaitingDecision({ deciding, canCheck, isCurrent }: Props) {
  const { recorded, isAskedBack, pending } = deciding;
  const panel = useRef<HTMLDivElement>(null);
  const decidedOn = useDeviceName(recorded?.deviceId ?? '');
  const isWaiting = recorded?.status === 'waiting';
  useEffect(() => {
    // The pressed button is gone. Focus the panel and not Undo, because Enter may still be held.
    if (isWaiting && isCurrent && document.activeElement === document.body) panel.current?.focus();
  }, [isWaiting, isCurrent]);
  if (recorded === null) return null;
  return (
    <div
      ref={panel}
      tabIndex={-1}
      className="grid gap-2 rounded-md bg-active-tint px-3 py-2.5 text-[0.8125rem] text-active"
    >
      <p className="font-medium">
        {text.inbox.decided(resolutionWord(recorded.resolution, canCheck), decidedOn)}
      </p>
      <p role="status">{isAskedBack ? text.inbox.askedBack : text.inbox.awaiting}</p>
      {recorded.message === null ? null : <p>{recorded.message}</p>}
      {isWaiting && !isAskedBack ? (
        <Button
          size="small"
          isPending={pending === 'take_back'}
          onPress={deciding.takeBack}
          className="justify-self-start"
        >
          <Undo2 aria-hidden className="size-3.5" />
          {text.inbox.undo}
          {isCurrent ? <Keys keys="z" /> : null}
        </Button>
      ) : null}
    </div>
  );
}
