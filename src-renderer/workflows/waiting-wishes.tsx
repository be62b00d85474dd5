// Intents that wait for the owner.
import { Clock } from 'lucide-react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { RelativeTime } from '#renderer/ui/when.tsx';
import type { Devices } from '#renderer/workflows/device-names.ts';
import { useAnswer } from '#renderer/use-answer.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: Devices;
}

export function WaitingWishes({ workflow, devices }: Props) {
  const { id, owner } = workflow;
  const { answer } = useAnswer(
    (client) => client.call('intents.list', { workflowId: id }),
    { intents: 'any' },
    [id],
  );
  const waiting = (answer?.intents ?? []).filter(({ status }) => status === 'waiting');
  const { wishes } = flowText;
  return (
    <div role="status" className="empty:hidden">
      {waiting.length === 0 ? null : (
        <section
          aria-label={wishes.title}
          className="grid gap-1.5 rounded-md bg-wait-tint px-3 py-2.5 text-[0.8125rem] text-wait"
        >
          <h2 className="font-semibold">{wishes.title}</h2>
          <ul className="grid gap-1">
            {waiting.map(({ id: intentId, kind, deviceId, createdAt }) => (
              <li key={intentId} className="flex flex-wrap items-center gap-x-1.5">
                <Clock aria-hidden className="size-3.5 shrink-0" />
                <span className="font-medium">{wishes.wish(kind)}</span>
                {owner.state === 'nobody'
                  ? wishes.waitsForNobody
                  : wishes.waitsFor(devices.name(waitedFor(workflow)))}
                <span>
                  {' · '}
                  {wishes.asked(devices.name(deviceId))}
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
function waitedFor({ owner }: WorkflowView): string | null {
  return owner.state === 'released' ? owner.toDeviceId : owner.deviceId;
}
