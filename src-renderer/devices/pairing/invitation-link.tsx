// A pairing link with QR code and countdown.
import { useEffect } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { useCountdown } from '#renderer/devices/pairing/use-countdown.ts';
import { PairingComplete } from '#renderer/devices/pairing/pairing-complete.tsx';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { QrCode } from '#renderer/devices/pairing/qr-code.tsx';
import { useInvitation } from '#renderer/devices/pairing/use-invitation.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

export function InvitationLink() {
  const { client } = useApp();
  const { invitation, error, invite } = useInvitation(client);
  useEffect(invite, [invite]);
  if (error) {
    return (
      <PairingFailure error={error}>
        <Button size="small" onPress={invite} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </PairingFailure>
    );
  }
  if (invitation === null) return <PageSkeleton label={text.pairing.making} />;
  return <OpenInvitation key={invitation.invitationId} invitation={invitation} onRenew={invite} />;
}

interface OpenInvitationProps {
  readonly invitation: CallOutput<'devices.invite'>;
  readonly onRenew: () => void;
}

function OpenInvitation({
  invitation: { link, invitationId, expiresAt },
  onRenew,
}: OpenInvitationProps) {
  const timeLeft = useCountdown(expiresAt);
  const { answer, error } = useLiveCall('devices.invitation', { invitationId }, { devices: 'any' });
  if (answer?.status === 'used' && answer.deviceId !== null) {
    return <PairingComplete deviceId={answer.deviceId} />;
  }
  const isGone = error?.type === 'not_found';
  const closed = isGone ? text.pairing.gone : closedReason(answer?.status, timeLeft);
  if (closed !== null) {
    return (
      <Notice tone="wait">
        <p>{closed}</p>
        <Button size="small" onPress={onRenew}>
          {text.pairing.again}
        </Button>
      </Notice>
    );
  }
  return (
    <div className="grid gap-4">
      <p className="text-muted">{text.pairing.linkHint}</p>
      <div className="flex flex-wrap gap-5">
        <QrCode content={link} label={text.pairing.qr} />
        <div className="grid min-w-0 flex-1 basis-64 content-start gap-3">
          <label className="grid gap-1">
            <span className="font-medium">{text.pairing.linkField}</span>
            <textarea
              readOnly
              rows={4}
              value={link}
              onFocus={(event) => event.target.select()}
              className="w-full resize-none rounded-md bg-sunken px-2.5 py-2 font-mono text-xs leading-5 break-all ring-1 ring-line ring-inset"
            />
          </label>
          <CopyButton content={link} label={text.pairing.copy} copiedLabel={text.pairing.copied} />
          <p className="tabular font-medium" role="timer">
            {text.pairing.validFor(timeLeft ?? '')}
          </p>
          <p className="text-[0.8125rem] text-muted">{text.pairing.waiting}</p>
        </div>
      </div>
      <p className="text-[0.8125rem] text-muted">
        {text.pairing.inTerminal}{' '}
        <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs ring-1 ring-line">
          holdfast pair LINK
        </code>
      </p>
    </div>
  );
}

function closedReason(
  status: CallOutput<'devices.invitation'>['status'] | undefined,
  timeLeft: string | null,
): string | null {
  if (status === 'ended') return text.pairing.ended;
  return status === 'expired' || timeLeft === null ? text.pairing.expired : null;
}
