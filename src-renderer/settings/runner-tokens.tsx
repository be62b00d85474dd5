// Tokens for callers of the runner's REST API. A token is shown once.
import { useState } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { text } from '#renderer/text/text.ts';
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';

const TEXT = text.settings.tokens;

interface Added {
  readonly name: string;
  readonly token: string;
}

export function RunnerTokens() {
  const { client } = useApp();
  const { answer, error, refresh } = useLiveCall('tokens.names', {});
  const [added, setAdded] = useState<Added | null>(null);
  const names = answer?.names ?? [];
  return (
    <Panel title={TEXT.title}>
      <div className="grid gap-3">
        <p className="text-muted">{TEXT.hint}</p>
        <Failure error={error} />
        {names.length === 0 ? null : (
          <ul className="divide-y divide-line">
            {names.map((name) => (
              <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
                <code className="min-w-0 flex-1 font-mono text-[0.8125rem] wrap-anywhere">
                  {name}
                </code>
                <DialogButton
                  size="small"
                  variant="quiet"
                  label={TEXT.remove}
                  subject={TEXT.of(name)}
                  title={TEXT.removeTitle(name)}
                >
                  {(close) => (
                    <ConfirmAction
                      warning={TEXT.removeWarning}
                      submitLabel={TEXT.removeSubmit}
                      action={() => client.call('tokens.remove', { name })}
                      onDone={refresh}
                      onClose={close}
                    />
                  )}
                </DialogButton>
              </li>
            ))}
          </ul>
        )}
        {added === null ? null : (
          <div role="status" className="flex flex-wrap items-center gap-3">
            <span>{TEXT.added(added.name)}</span>
            <CopyButton content={added.token} label={TEXT.copy} copiedLabel={TEXT.copied} />
          </div>
        )}
        <div>
          <DialogButton label={TEXT.add} title={TEXT.add}>
            {(close) => (
              <TokenForm
                onClose={close}
                onAdded={(token) => {
                  setAdded(token);
                  refresh();
                }}
              />
            )}
          </DialogButton>
        </div>
      </div>
    </Panel>
  );
}

interface FormProps {
  readonly onClose: () => void;
  readonly onAdded: (added: Added) => void;
}

function TokenForm({ onClose, onAdded }: FormProps) {
  const { client } = useApp();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  return (
    <SheetForm
      action={() => client.call('tokens.add', { name })}
      onDone={({ token }) => onAdded({ name, token })}
      validate={() => name !== ''}
      submitLabel={TEXT.submit}
      onClose={onClose}
      className="pt-3"
    >
      <TextInput
        label={TEXT.name}
        hint={TEXT.nameHint}
        value={typed}
        onChange={setTyped}
        isRequired
        takesFocus
      />
    </SheetForm>
  );
}
