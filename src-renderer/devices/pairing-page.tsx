// Pairing in one of three ways, each with its own URL.
import { useApp } from '#renderer/app-context.tsx';
import { JoinByLink } from '#renderer/devices/join-by-link.tsx';
import { PairNearby } from '#renderer/devices/pair-nearby.tsx';
import { ShowLink } from '#renderer/devices/show-link.tsx';
import { href, PAIRING_WAYS, type PairingWay } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { SubPages } from '#renderer/ui/sub-pages.tsx';

interface Props {
  readonly way: PairingWay;
  /** A pairing link opened from outside, shown for review first. */
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
            // Remove the link from the URL: it contains a one-time token, and URLs end up in
            // history.
            onTaken={() => router.navigate(href.pairing('join'), 'replace')}
          />
        ) : null}
        {way === 'nearby' ? <PairNearby /> : null}
      </div>
    </Page>
  );
}
