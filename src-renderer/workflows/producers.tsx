// The producers of a workflow with schedule and next run.
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { ComingTime } from '#renderer/ui/when.tsx';
import { useAct } from '#renderer/use-act.ts';
import { ActButton } from '#renderer/workflows/act-button.tsx';
import { scheduleWords } from '#renderer/workflows/schedule-words.ts';

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
  const [asked, setAsked] = useState(false);
  const run = useAct({
    idFor: 'click',
    act: (requestId) => {
      setAsked(false);
      return client.call('workflows.runNow', {
        workflowId: workflow.id,
        producer: producer.name,
        requestId,
      });
    },
    onDone: () => setAsked(true),
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
      <ActButton
        act={run}
        word={text.workflows.runNow}
        pendingWord={text.workflows.runningNow}
        of={producer.name}
        icon={<Play aria-hidden className="size-3.5" />}
      />
      <p role="status" className="col-span-full text-muted empty:hidden">
        {asked ? text.workflows.asked : null}
      </p>
      <div className="col-span-full empty:hidden">
        <Failure error={run.error} />
      </div>
    </li>
  );
}

function ScheduleLine({ schedule }: Pick<Producer, 'schedule'>) {
  const words = scheduleWords(schedule);
  if (words === null) return null;
  return (
    <span title={words.written} className="text-muted">
      {words.words}
    </span>
  );
}

function NextRun({ workflow, producer }: LineProps) {
  if (workflow.status === 'paused') return <>{text.workflows.whenResumed}</>;
  if (producer.nextRunAt === null) return <>{text.workflows.notScheduled}</>;
  return <ComingTime at={producer.nextRunAt} />;
}
