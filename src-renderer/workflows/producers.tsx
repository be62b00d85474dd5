// The producers of a workflow with schedule and next run.
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { UpcomingTime } from '#renderer/ui/display/time.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { ActionButton } from '#renderer/workflows/action-button.tsx';
import { describeSchedule } from '#renderer/workflows/describe-schedule.ts';

type Producer = WorkflowView['producers'][number];

export function Producers({ workflow }: { readonly workflow: WorkflowView }) {
  return (
    <ul className="grid gap-2">
      {workflow.producers.map((producer) => (
        <ProducerLine key={producer.name} workflow={workflow} producer={producer} />
      ))}
    </ul>
  );
}

interface LineProps {
  readonly workflow: WorkflowView;
  readonly producer: Producer;
}

function ProducerLine({ workflow, producer }: LineProps) {
  const { client } = useApp();
  const [isRequested, setIsRequested] = useState(false);
  const run = useIdempotentAction({
    idFor: 'click',
    action: (requestId) => {
      setIsRequested(false);
      return client.call('workflows.runNow', {
        workflowId: workflow.id,
        producer: producer.name,
        requestId,
      });
    },
    onDone: () => setIsRequested(true),
  });
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 text-[0.8125rem]">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 wrap-anywhere">
        <span className="font-medium">{producer.name}</span>
        <ScheduleLine schedule={producer.schedule} />
        <span className="tabular">
          <span className="text-muted">{text.workflows.next}: </span>
          <NextRun workflow={workflow} producer={producer} />
        </span>
      </div>
      <ActionButton
        action={run}
        label={text.workflows.runNow}
        pendingLabel={text.workflows.runningNow}
        subject={producer.name}
        icon={Play}
      />
      <p role="status" className="col-span-full text-muted empty:hidden">
        {isRequested ? text.workflows.asked : null}
      </p>
      <div className="col-span-full empty:hidden">
        <Failure error={run.error} />
      </div>
    </li>
  );
}

function ScheduleLine({ schedule }: Pick<Producer, 'schedule'>) {
  const description = describeSchedule(schedule);
  if (description === null) return null;
  return (
    <span title={description.source} className="text-muted">
      {description.text}
    </span>
  );
}

function NextRun({ workflow, producer }: LineProps) {
  if (workflow.status === 'paused') return <>{text.workflows.whenResumed}</>;
  if (producer.nextRunAt === null) return <>{text.workflows.notScheduled}</>;
  return <UpcomingTime at={producer.nextRunAt} />;
}
