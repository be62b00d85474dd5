// A pairing link with QR code and countdown.
import { useEffect } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { CopyButton } from '#renderer/copy-button.tsx';
import { useCountdown } from '#renderer/devices/countdown.ts';
import { Paired } from '#renderer/devices/paired.tsx';
import { PairingFailure } from '#renderer/devices/pairing-failure.tsx';
import { QrCode } from '#renderer/devices/qr-code.tsx';
import { useInvitation } from '#renderer/devices/use-invitation.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { useCall } from '#renderer/use-call.ts';

export function ShowLink() {
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
  return <Shown key={invitation.invitationId} invitation={invitation} onAgain={invite} />;
}

interface ShownProps {
  readonly invitation: CallOutput<'devices.invite'>;
  readonly onAgain: () => void;
}

function Shown({ invitation: { link, invitationId, expiresAt }, onAgain }: ShownProps) {
  const left = useCountdown(expiresAt);
  const { answer, error } = useCall('devices.invitation', { invitationId }, ['devices']);
  if (answer?.status === 'used' && answer.deviceId !== null) {
    return <Paired deviceId={answer.deviceId} />;
  }
  const isGone = error?.type === 'not_found';
  const over = isGone ? text.pairing.gone : overWords(answer?.status, left);
  if (over !== null) {
    return (
      <Notice tone="wait">
        <p>{over}</p>
        <Button size="small" onPress={onAgain}>
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
          <CopyButton content={link} label={text.pairing.copy} done={text.pairing.copied} />
          <p className="tabular font-medium" role="timer">
            {text.pairing.validFor(left ?? '')}
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

function overWords(
  status: CallOutput<'devices.invitation'>['status'] | undefined,
  left: string | null,
): string | null {
  if (status === 'ended') return text.pairing.ended;
  return status === 'expired' || left === null ? text.pairing.expired : null;
}
