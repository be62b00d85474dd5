// Decisions on an effect, oldest first. The first one carried out won.
import { Check, CircleSlash2, Clock, CornerDownRight, type LucideIcon } from 'lucide-react';
import type { MutationView } from '#shared/api/handler-runs.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { RESOLUTION_STATUS_LABELS, resolutionLabel } from '#renderer/text/inbox-text.ts';
import { text } from '#renderer/text/text.ts';
import { RelativeTime } from '#renderer/ui/display/time.tsx';

type Decision = MutationView['resolutions'][number];

const ICONS: Readonly<Record<Decision['status'], LucideIcon>> = {
  waiting: Clock,
  done: Check,
  superseded: CornerDownRight,
  refused: CircleSlash2,
};

export function DecisionList({ mutation }: { readonly mutation: MutationView }) {
  return (
    <ul className="grid gap-1.5 text-[0.8125rem]">
      {mutation.resolutions.map((decision) => (
        <DecisionLine key={decision.id} decision={decision} canCheck={mutation.canCheck} />
      ))}
    </ul>
  );
}

interface LineProps {
  readonly decision: Decision;
  readonly canCheck: boolean;
}

function DecisionLine({ decision, canCheck }: LineProps) {
  const Icon = ICONS[decision.status];
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2">
      <Icon aria-hidden className="mt-0.5 size-4 text-muted" />
      <div className="grid gap-0.5 wrap-anywhere">
        <span>
          <span className="font-medium">{resolutionLabel(decision.resolution, canCheck)}</span>
          <span className="text-muted">
            {' · '}
            {RESOLUTION_STATUS_LABELS[decision.status]}
            {' · '}
            <RelativeTime at={decision.createdAt} />
            {' · '}
            <span title={decision.deviceId}>{text.run.on(shortId(decision.deviceId))}</span>
          </span>
        </span>
        {decision.note === null ? null : <span>{decision.note}</span>}
        {decision.message === null ? null : <span className="text-muted">{decision.message}</span>}
      </div>
    </li>
  );
}
