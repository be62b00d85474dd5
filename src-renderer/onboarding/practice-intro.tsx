// Starts the sample workflow, which ends in an outcome to settle.
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

export function PracticeIntro() {
  const { client, router } = useApp();
  const startPractice = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('practice.begin', {}),
    onDone: () => router.navigate(href.inbox()),
  });
  return (
    <div className="grid justify-items-center gap-2">
      <p className="text-muted">{text.workflows.practiseHint}</p>
      <Button onPress={startPractice.perform} isPending={startPractice.isPending}>
        {text.workflows.practise}
      </Button>
      <Failure error={startPractice.error} />
    </div>
  );
}
