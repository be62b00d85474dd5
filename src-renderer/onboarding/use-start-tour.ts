// Begins the tour: the sample on the practice service, then the inbox, where it goes on.
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { choose } from '#renderer/shell/preferences.ts';
import { useAct, type Act } from '#renderer/client/use-idempotent-action.ts';

export function useBeginTour(): Act {
  const { client, router } = useApp();
  return useAct({
    idFor: 'click',
    act: () => client.call('practice.begin', {}),
    onDone: ({ workflowId }) => {
      choose({ tour: { workflowId } });
      router.navigate(href.inbox());
    },
  });
}
