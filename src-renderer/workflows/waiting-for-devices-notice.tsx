// Notice while nothing runs because Holdfast asks the other devices first: why, which devices, and a
// button that skips the wait.
import { clockTime } from '#renderer/format/format-time.ts';
import { startCheckText } from '#renderer/text/start-check-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

export function WaitingForDevicesNotice() {
  const { client } = useApp();
  const { answer, refresh } = useLiveCall('startCheck.get', {}, { devices: 'any' });
  const goOn = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('startCheck.goOn', {}),
    onDone: refresh,
  });
  if (!answer?.asking) return null;
  const { reason, until, waitsFor } = answer.asking;
  const names = waitsFor.map(({ name }) => name);
  return (
    <Notice tone="wait">
      <p className="font-medium">{startCheckText.title}</p>
      <p>{startCheckText.why[reason](names)}</p>
      <p>{startCheckText.until(clockTime(until))}</p>
      <Button size="small" isPending={goOn.isPending} onPress={goOn.perform}>
        {startCheckText.goOn}
      </Button>
      <Failure error={goOn.error} />
    </Notice>
  );
}
