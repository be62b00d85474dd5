// Shown on a restored device: its workflows wait until a person resumes each one.
import { useState } from 'react';
import { exactTime } from '#renderer/format/format-time.ts';
import { href } from '#renderer/navigation/router.ts';
import {
  ResumeRestored,
  type RestoredWorkflow,
} from '#renderer/settings/backups/resume-restored.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = upkeepText.restored;

/** Renders nothing if this database was never restored. */
export function RestoredPanel() {
  const { answer, error, refresh } = useLiveCall(
    'restored.get',
    {},
    { workflows: 'any', events: 'slow' },
  );
  const [message, setMessage] = useState('');
  const [selected, setSelected] = useState<RestoredWorkflow | null>(null);
  const close = (): void => setSelected(null);
  if (answer === null) return <Failure error={error} />;
  if (answer.madeAt === null) return null;
  return (
    <Panel title={TEXT.title(exactTime(answer.madeAt))}>
      <div className="grid gap-3">
        <p className="text-[0.8125rem] text-muted">
          {answer.workflows.length === 0 ? TEXT.none : TEXT.hint}
        </p>
        <Failure error={error} />
        <ul className="divide-y divide-line empty:hidden">
          {answer.workflows.map((workflow) => (
            <li key={workflow.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <Link
                to={href.workflow(workflow.id)}
                className="min-w-0 font-medium wrap-anywhere hover:underline"
              >
                <bdi>{workflow.name}</bdi>
              </Link>
              <span className="text-[0.8125rem] text-muted">
                {TEXT.open(workflow.waiting, workflow.unfinished)}
              </span>
              <Button size="small" className="ml-auto" onPress={() => setSelected(workflow)}>
                {TEXT.resume}
                <span className="sr-only">{TEXT.of(workflow.name)}</span>
              </Button>
            </li>
          ))}
        </ul>
        <span role="status" className="text-[0.8125rem] text-muted empty:hidden">
          {message}
        </span>
      </div>
      <Sheet
        title={TEXT.resumeTitle(selected?.name ?? '')}
        isOpen={selected !== null}
        onClose={close}
      >
        {selected ? (
          <ResumeRestored
            workflow={selected}
            onClose={close}
            onResumed={(sentence) => {
              setMessage(sentence);
              refresh();
            }}
          />
        ) : null}
      </Sheet>
    </Panel>
  );
}
