// Button that probes unreachable hosts at once, on a workflow that waits and in the settings.
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { hostsText } from '#renderer/text/hosts-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';

interface Props {
  readonly onDone?: () => void;
}

export function RetryHosts({ onDone }: Props) {
  const { client } = useApp();
  const retry = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('hosts.retry', {}),
    onDone: () => onDone?.(),
  });
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Button size="small" isPending={retry.isPending} onPress={retry.perform}>
        {hostsText.retry}
      </Button>
      <Failure error={retry.error} />
    </span>
  );
}
