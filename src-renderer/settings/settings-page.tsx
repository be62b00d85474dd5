// Settings of this device, in sections with their own URLs.
import { href } from '#renderer/navigation/router.ts';
import { AboutSection } from '#renderer/settings/about-section.tsx';
import { AccessSection } from '#renderer/settings/access-section.tsx';
import { BackupsSection } from '#renderer/settings/backups/backups-section.tsx';
import { DataSection } from '#renderer/settings/data-section.tsx';
import { DesktopSection } from '#renderer/settings/desktop-section.tsx';
import { FlagsSection } from '#renderer/settings/flags-section.tsx';
import { GrantsSection } from '#renderer/settings/grants/grants-section.tsx';
import { HistorySection } from '#renderer/settings/history/history-section.tsx';
import { NeedsHumanSection } from '#renderer/settings/needs-human-section.tsx';
import { HostsSection } from '#renderer/settings/hosts/hosts-section.tsx';
import { SecretsSection } from '#renderer/settings/secrets/secrets-section.tsx';
import {
  SECTION_LABELS,
  SETTINGS_SECTIONS,
  type SettingsSection,
} from '#renderer/text/settings-text.ts';
import { text } from '#renderer/text/text.ts';
import { Page } from '#renderer/ui/layout/page.tsx';
import { SubPages } from '#renderer/ui/layout/sub-pages.tsx';

const SECTIONS: Readonly<Record<SettingsSection, () => React.ReactNode>> = {
  data: DataSection,
  backups: BackupsSection,
  history: HistorySection,
  grants: GrantsSection,
  secrets: SecretsSection,
  hosts: HostsSection,
  desktop: DesktopSection,
  waiting: NeedsHumanSection,
  flags: FlagsSection,
  access: AccessSection,
  about: AboutSection,
};

export function SettingsPage({ section }: { readonly section: SettingsSection }) {
  const Section = SECTIONS[section];
  return (
    <Page title={text.settings.title}>
      <SubPages
        label={text.settings.sections}
        pages={SETTINGS_SECTIONS.map((one) => ({
          name: SECTION_LABELS[one],
          to: href.settings(one),
        }))}
        current={href.settings(section)}
      />
      <section aria-label={SECTION_LABELS[section]} className="grid max-w-3xl gap-4">
        <Section />
      </section>
    </Page>
  );
}
