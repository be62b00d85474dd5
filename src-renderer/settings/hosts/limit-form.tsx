import { useState } from 'react';
import type { OutsideHostView } from '#shared/api/outside-hosts.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { hostsText } from '#renderer/text/hosts-text.ts';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

interface Props {
  /** If given, the form changes the limit of this host. */
  readonly known?: OutsideHostView;
  readonly onClose: () => void;
  readonly onSaved: (sentence: string) => void;
}

/** The host validates the limit, and its message is shown. */
export function LimitForm({ known, onClose, onSaved }: Props) {
  const { client } = useApp();
  const [typed, setTyped] = useState('');
  const [perSecond, setPerSecond] = useState(String(known?.own?.perSecond ?? ''));
  const [concurrent, setConcurrent] = useState(String(known?.own?.concurrent ?? ''));
  const host = known?.host ?? typed.trim().toLowerCase();
  const limit = {
    ...(perSecond.trim() !== '' && { perSecond: Number(perSecond) }),
    ...(concurrent.trim() !== '' && { concurrent: Number(concurrent) }),
  };
  const isValid = Object.values(limit).every((value) => value > 0);
  return (
    <SheetForm
      action={() => client.call('hosts.setLimit', { host, limit })}
      onDone={() => onSaved(hostsText.saved(host))}
      validate={() => host !== '' && isValid && Object.keys(limit).length > 0}
      submitLabel={hostsText.submit}
      onClose={onClose}
      className="pt-3"
    >
      {known === undefined ? (
        <TextInput
          label={hostsText.host}
          hint={hostsText.hostHint}
          value={typed}
          onChange={setTyped}
          isRequired
          takesFocus
        />
      ) : null}
      <TextInput
        label={hostsText.perSecond}
        hint={hostsText.perSecondHint}
        value={perSecond}
        onChange={setPerSecond}
        problem={isValid ? undefined : hostsText.notNumber}
      />
      <TextInput
        label={hostsText.concurrent}
        hint={hostsText.concurrentHint}
        value={concurrent}
        onChange={setConcurrent}
      />
    </SheetForm>
  );
}
