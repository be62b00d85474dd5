// Redirects to the inbox or to workflows, or welcomes a new user.
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { Welcome } from '#renderer/onboarding/welcome.tsx';
import { text } from '#renderer/text/text.ts';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';

export function StartPage() {
  const { client, inbox, router } = useApp();
  const hasInboxItems = useStore(inbox, ({ answer, error }) =>
    answer === null && error === null ? null : (answer?.length ?? 0) > 0,
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
    if (hasInboxItems === true) router.navigate(href.inbox(), 'replace');
    else if (hasInboxItems === false && isNew === false)
      router.navigate(href.workflows(), 'replace');
  }, [router, hasInboxItems, isNew]);

  if (hasInboxItems === false && isNew === true) return <Welcome />;
  return (
    <div className="p-6">
      <PageSkeleton label={text.app.connecting} />
    </div>
  );
}
