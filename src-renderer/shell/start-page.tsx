// Redirects to the inbox or to workflows, or welcomes a new user.
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { Welcome } from '#renderer/shell/welcome.tsx';
import { text } from '#renderer/text/text.ts';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';

export function StartPage() {
  const { client, inbox, router } = useApp();
  const waits = useStore(inbox, ({ items, error }) =>
    items === null && error === null ? null : (items?.length ?? 0) > 0,
  );
  const [isNew, setNew] = useState<boolean | null>(null);
  useEffect(() => {
    // On failure go to the workflows page, which shows the error.
    client.call('workflows.list', { limit: 1 }).then(
      ({ workflows }) => setNew(workflows.length === 0),
      () => setNew(false),
    );
  }, [client]);
  useEffect(() => {
    document.title = text.app.name;
    if (waits === true) router.navigate(href.inbox(), 'replace');
    else if (waits === false && isNew === false) router.navigate(href.workflows(), 'replace');
  }, [router, waits, isNew]);

  if (waits === false && isNew === true) return <Welcome />;
  return (
    <div className="p-6">
      <PageSkeleton label={text.app.connecting} />
    </div>
  );
}
