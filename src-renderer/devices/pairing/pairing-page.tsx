// Pairing with another device, in one of three ways. Each has an address of its own.
import { useApp } from '#renderer/shell/app-context.tsx';
import { JoinByLink } from '#renderer/devices/pairing/join-by-link.tsx';
import { PairNearby } from '#renderer/devices/pairing/pair-nearby.tsx';
import { ShowLink } from '#renderer/devices/pairing/invitation-link.tsx';
import { href, PAIRING_WAYS, type PairingWay } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { SubPages } from '#renderer/ui/layout/sub-pages.tsx';

interface Props {
  readonly way: PairingWay;
  /** A link that somebody opened, for the person to look at first. */
  readonly link: string | undefined;
}

export function PairingPage({ way, link }: Props) {
  const { router } = useApp();
  return (
    <Page
      title={text.pairing.title}
      above={<BackLink to={href.devices()}>{text.devices.title}</BackLink>}
    >
      <SubPages
        label={text.pairing.ways}
        pages={PAIRING_WAYS.map((one) => ({ name: text.pairing[one], to: href.pairing(one) }))}
        current={href.pairing(way)}
      />
      <div className="max-w-2xl">
        {way === 'link' ? <ShowLink /> : null}
        {way === 'join' ? (
          <JoinByLink
            given={link}
            // It holds a one-time key: an address is shown, and kept in histories.
            onTaken={() => router.navigate(href.pairing('join'), 'replace')}
          />
        ) : null}
        {way === 'nearby' ? <PairNearby /> : null}
      </div>
    </Page>
  );
}
