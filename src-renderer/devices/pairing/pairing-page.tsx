// Pairing in one of three ways, each with its own URL.
import { useApp } from '#renderer/shell/app-context.tsx';
import { JoinByLink } from '#renderer/devices/pairing/join-by-link.tsx';
import { PairNearby } from '#renderer/devices/pairing/pair-nearby.tsx';
import { InvitationLink } from '#renderer/devices/pairing/invitation-link.tsx';
import { href, PAIRING_METHODS, type PairingMethod } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { SubPages } from '#renderer/ui/layout/sub-pages.tsx';

interface Props {
  readonly method: PairingMethod;
  /** A pairing link opened from outside, shown for review first. */
  readonly link: string | undefined;
}

export function PairingPage({ method, link }: Props) {
  const { router } = useApp();
  return (
    <Page
      title={text.pairing.title}
      above={<BackLink to={href.devices()}>{text.devices.title}</BackLink>}
    >
      <SubPages
        label={text.pairing.ways}
        pages={PAIRING_METHODS.map((one) => ({ name: text.pairing[one], to: href.pairing(one) }))}
        current={href.pairing(method)}
      />
      <div className="max-w-2xl">
        {method === 'link' ? <InvitationLink /> : null}
        {method === 'join' ? (
          <JoinByLink
            openedLink={link}
            // Remove the link from the URL: it contains a one-time token, and URLs end up in
            // history.
            onLinkRead={() => router.navigate(href.pairing('join'), 'replace')}
          />
        ) : null}
        {method === 'nearby' ? <PairNearby /> : null}
      </div>
    </Page>
  );
}
