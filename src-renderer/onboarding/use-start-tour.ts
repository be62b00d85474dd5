// Starts the tour: adds the sample workflow and opens the inbox.
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { updatePreferences } from '#renderer/shell/preferences.ts';
import {
  useIdempotentAction,
  type IdempotentAction,
} from '#renderer/client/use-idempotent-action.ts';

export function useStartTour(): IdempotentAction {
  const { client, router } = useApp();
  return useIdempotentAction({
    idFor: 'click',
    action: () => client.call('practice.begin', {}),
    onDone: ({ workflowId }) => {
      updatePreferences({ tour: { workflowId } });
      router.navigate(href.inbox());
    },
  });
}
