// Opens another device's pairing link. Shows where it leads before anything is sent.
import { useEffect, useState, type FormEvent } from 'react';
import { MAX_LINK_LENGTH, parsePairingLink } from '#shared/sync/pairing/link.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { PairingComplete } from '#renderer/devices/pairing/pairing-complete.tsx';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly openedLink: string | undefined;
  readonly onLinkRead: () => void;
}

export function JoinByLink({ openedLink, onLinkRead }: Props) {
  const { client } = useApp();
  const [link, setLink] = useState(openedLink ?? '');
  const [pairedWith, setPairedWith] = useState<string | null>(null);
  // Another link may be opened while this form is visible.
  const [lastOpenedLink, setLastOpenedLink] = useState(openedLink);
  if (openedLink !== undefined && openedLink !== lastOpenedLink) {
    setLastOpenedLink(openedLink);
    setLink(openedLink);
  }
  useEffect(() => {
    if (openedLink !== undefined) onLinkRead();
  }, [openedLink, onLinkRead]);
  const join = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('devices.join', { link: link.trim() }),
    onDone: ({ deviceId }) => setPairedWith(deviceId),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (link.trim() !== '') join.perform();
  };
  if (pairedWith !== null) return <PairingComplete deviceId={pairedWith} />;
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
        lines={{ rows: 4, isCode: true }}
        isRequired
        takesFocus
      />
      <LinkTarget link={link} />
      <PairingFailure error={join.error} />
      <Button
        type="submit"
        variant="primary"
        isPending={join.isPending}
        className="justify-self-start"
      >
        {join.isPending ? text.pairing.joining : text.pairing.joinSubmit}
      </Button>
    </form>
  );
}

function LinkTarget({ link }: { readonly link: string }) {
  const parsed = parsePairingLink(link);
  if (typeof parsed === 'string') return null;
  return (
    <p className="text-[0.8125rem] text-muted">
      {text.pairing.joinWith(shortId(parsed.deviceId), parsed.addresses.join(', '))}{' '}
      {text.pairing.joinWhat}
    </p>
  );
}
