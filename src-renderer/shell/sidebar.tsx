// Navigation and host status. A sidebar, or a top bar below 700 px.
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { HostStatus } from '#renderer/shell/host-status.tsx';
import { Logo } from '#renderer/shell/logo.tsx';
import { PaletteButton } from '#renderer/commands/palette-button.tsx';
import { NAV_ITEMS } from '#renderer/navigation/nav-items.ts';
import { ThemeSwitch } from '#renderer/shell/theme-switch.tsx';
import { count } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';

export function Sidebar() {
  const { router } = useApp();
  const page = useStore(router.route, (route) => route.page);
  return (
    <header className="flex items-center gap-x-4 border-line bg-sunken px-3 max-md:h-12 max-md:border-b md:flex-col md:items-stretch md:border-r md:py-4">
      <div className="flex items-center gap-2 px-2 md:pb-5">
        <Logo />
        <span className="font-semibold tracking-tight max-sm:sr-only">{text.app.name}</span>
      </div>
      <PaletteButton />
      <nav
        aria-label={text.app.navigation}
        className="flex min-w-0 gap-0.5 max-md:overflow-x-auto md:flex-col"
      >
        {NAV_ITEMS.map(({ name, to, icon: Icon, pages }) => (
          <Link
            key={to}
            to={to}
            aria-current={pages.includes(page) ? 'page' : undefined}
            className="flex h-8 items-center gap-2 rounded-md px-2 font-medium text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:text-ink aria-[current=page]:shadow-raised aria-[current=page]:ring-1 aria-[current=page]:ring-line"
          >
            <Icon aria-hidden className="size-4 max-sm:hidden" />
            {name}
            {to === href.inbox() ? <InboxCount /> : null}
          </Link>
        ))}
      </nav>
      <div className="ml-auto flex items-center gap-2 md:mt-auto md:ml-0 md:grid md:gap-3">
        <HostStatus />
        <ThemeSwitch />
      </div>
    </header>
  );
}

function InboxCount() {
  const { inbox } = useApp();
  const items = useStore(inbox, (state) => state.answer?.length ?? 0);
  if (items === 0) return null;
  return (
    <span className="tabular ml-auto grid h-4.5 min-w-4.5 place-items-center rounded-full bg-accent-fill px-1 text-xs font-semibold text-on-accent">
      <span aria-hidden>{count(items)}</span>
      <span className="sr-only">{text.app.inboxCount(items)}</span>
    </span>
  );
}
