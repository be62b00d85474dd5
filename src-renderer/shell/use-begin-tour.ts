// Starts the tour: adds the sample workflow and opens the inbox.
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { choose } from '#renderer/shell/settings.ts';
import { useAct, type Act } from '#renderer/use-act.ts';

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
