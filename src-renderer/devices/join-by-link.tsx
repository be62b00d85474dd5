// Opens another device's pairing link. Shows where it leads before anything is sent.
import { useEffect, useState, type FormEvent } from 'react';
import { MAX_LINK_LENGTH, parsePairingLink } from '#shared/sync/pairing/link.ts';
import { useApp } from '#renderer/app-context.tsx';
import { Paired } from '#renderer/devices/paired.tsx';
import { PairingFailure } from '#renderer/devices/pairing-failure.tsx';
import { shortId } from '#renderer/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

interface Props {
  readonly given: string | undefined;
  readonly onTaken: () => void;
}

export function JoinByLink({ given, onTaken }: Props) {
  const { client } = useApp();
  const [link, setLink] = useState(given ?? '');
  const [pairedWith, setPairedWith] = useState<string | null>(null);
  // Another link may be opened while this form is visible.
  const [lastGiven, setLastGiven] = useState(given);
  if (given !== undefined && given !== lastGiven) {
    setLastGiven(given);
    setLink(given);
  }
  useEffect(() => {
    if (given !== undefined) onTaken();
  }, [given, onTaken]);
  const join = useAct({
    idFor: 'click',
    act: () => client.call('devices.join', { link: link.trim() }),
    onDone: ({ deviceId }) => setPairedWith(deviceId),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (link.trim() !== '') join.perform();
  };
  if (pairedWith !== null) return <Paired deviceId={pairedWith} />;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextInput
        label={text.pairing.joinField}
        hint={text.pairing.joinHint}
        placeholder={text.pairing.joinPlaceholder}
        value={link}
        onChange={setLink}
        maxLength={MAX_LINK_LENGTH}
        isInvalid={join.error !== null}
        lines={{ rows: 4, code: true }}
        isRequired
        takesFocus
      />
      <WhereTo link={link} />
      <PairingFailure error={join.error} />
      <Button type="submit" look="primary" isPending={join.pending} className="justify-self-start">
        {join.pending ? text.pairing.joining : text.pairing.joinSubmit}
      </Button>
    </form>
  );
}

function WhereTo({ link }: { readonly link: string }) {
  const read = parsePairingLink(link);
  if (typeof read === 'string') return null;
  return (
    <p className="text-[0.8125rem] text-muted">
      {text.pairing.joinWith(shortId(read.deviceId), read.addresses.join(', '))}{' '}
      {text.pairing.joinWhat}
    </p>
  );
}
