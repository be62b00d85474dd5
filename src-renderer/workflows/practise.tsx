// Starts the sample workflow, which ends in an outcome to settle.
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { useAct } from '#renderer/use-act.ts';

export function Practise() {
  const { client, router } = useApp();
  const beginning = useAct({
    idFor: 'click',
    act: () => client.call('practice.begin', {}),
    onDone: () => router.navigate(href.inbox()),
  });
  return (
    <div className="grid justify-items-center gap-2">
      <p className="text-muted">{text.workflows.practiseHint}</p>
      <Button onPress={beginning.perform} isPending={beginning.pending}>
        {text.workflows.practise}
      </Button>
      <Failure error={beginning.error} />
    </div>
  );
}
