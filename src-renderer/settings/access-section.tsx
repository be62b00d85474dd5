// The API token for programs and browsers on this machine.
import { useState } from 'react';
import { RunnerTokens } from '#renderer/settings/runner-tokens.tsx';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';

const TEXT = text.settings.access;

export function AccessSection() {
  const [message, setMessage] = useState('');
  const { client, onNewToken } = useApp();
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <DialogButton label={TEXT.rotate} title={TEXT.rotateTitle}>
          {(close) => (
            <ConfirmAction
              warning={TEXT.rotateWarning}
              submitLabel={TEXT.rotateSubmit}
              action={() => client.call('token.rotate', {})}
              onDone={({ token }) => {
                setMessage(TEXT.rotated);
                onNewToken?.(token);
              }}
              onClose={close}
            />
          )}
        </DialogButton>
        <span role="status" className="text-[0.8125rem] text-muted">
          {message}
        </span>
      </div>
      <RunnerTokens />
    </>
  );
}
