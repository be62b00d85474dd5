// A saved decision that isn't carried out yet, with undo.
import { Undo2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useDeviceName } from '#renderer/devices/use-devices.ts';
import type { DecisionControls } from '#renderer/inbox/use-decision.ts';
import { resolutionLabel } from '#renderer/text/inbox-text.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';

interface Props {
  readonly deciding: DecisionControls;
  readonly canCheck: boolean;
  readonly isCurrent: boolean;
}

export function PendingDecision({ deciding, canCheck, isCurrent }: Props) {
  const { recorded, isWithdrawalPending, pending } = deciding;
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
        {text.inbox.decided(resolutionLabel(recorded.resolution, canCheck), decidedOn)}
      </p>
      <p role="status">{isWithdrawalPending ? text.inbox.askedBack : text.inbox.awaiting}</p>
      {recorded.message === null ? null : <p>{recorded.message}</p>}
      {isWaiting && !isWithdrawalPending ? (
        <Button
          size="small"
          isPending={pending === 'withdraw'}
          onPress={deciding.withdraw}
          className="justify-self-start"
        >
          <Undo2 aria-hidden className="size-3.5" />
          {text.inbox.undo}
          {isCurrent ? <ShortcutKeys keys="z" /> : null}
        </Button>
      ) : null}
    </div>
  );
}
