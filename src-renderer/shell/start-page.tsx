// Where one comes to first: to what waits, if anything does.
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text.ts';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';

export function StartPage() {
  const { inbox, router } = useApp();
  const waits = useStore(inbox, ({ items, error }) =>
    items === null && error === null ? null : (items?.length ?? 0) > 0,
  );
  useEffect(() => {
    if (waits !== null) router.navigate(waits ? href.inbox() : href.workflows(), 'replace');
  }, [router, waits]);
  return (
    <div className="p-6">
      <PageSkeleton label={text.app.connecting} />
    </div>
  );
}
