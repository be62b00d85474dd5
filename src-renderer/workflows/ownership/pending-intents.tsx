// Intents that wait for the owner.
import { Clock } from 'lucide-react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { RelativeTime } from '#renderer/ui/display/time.tsx';
import type { DeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: DeviceLabels;
}

export function PendingIntents({ workflow, devices }: Props) {
  const { id, owner } = workflow;
  const { answer } = useLiveCall('intents.list', { workflowId: id }, { intents: 'any' });
  const waiting = (answer?.intents ?? []).filter(({ status }) => status === 'waiting');
  const { intents } = workflowText;
  return (
    <div role="status" className="empty:hidden">
      {waiting.length === 0 ? null : (
        <section
          aria-label={intents.title}
          className="grid gap-1.5 rounded-md bg-wait-tint px-3 py-2.5 text-[0.8125rem] text-wait"
        >
          <h2 className="font-semibold">{intents.title}</h2>
          <ul className="grid gap-1">
            {waiting.map(({ id: intentId, kind, deviceId, createdAt }) => (
              <li key={intentId} className="flex flex-wrap items-center gap-x-1.5">
                <Clock aria-hidden className="size-3.5 shrink-0" />
                <span className="font-medium">{intents.label(kind)}</span>
                {owner.state === 'nobody'
                  ? intents.waitsForNobody
                  : intents.waitsFor(devices.labelOf(awaitedDeviceId(workflow)))}
                <span>
                  {' · '}
                  {intents.asked(devices.labelOf(deviceId))}
                  {' · '}
                  <RelativeTime at={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** After a release, the next owner carries them out. */
function awaitedDeviceId({ owner }: WorkflowView): string | null {
  return owner.state === 'released' ? owner.toDeviceId : owner.deviceId;
}
