// Shown on a restored device: its workflows wait until a person resumes each one.
import { useState } from 'react';
import { exactTime } from '#renderer/format-time.ts';
import { href } from '#renderer/router.ts';
import { GoOn, type StandingStill } from '#renderer/settings/go-on.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = upkeepText.restored;

/** Renders nothing if this database was never restored. */
export function RestoredPanel() {
  const { answer, error, refresh } = useCall('restored.get', {}, ['workflows'], ['events']);
  const [said, setSaid] = useState('');
  const [asked, setAsked] = useState<StandingStill | null>(null);
  const close = (): void => setAsked(null);
  if (answer === null) return <Failure error={error} />;
  if (answer.madeAt === null) return null;
  return (
    <Panel title={WORDS.title(exactTime(answer.madeAt))}>
      <div className="grid gap-3">
        <p className="text-[0.8125rem] text-muted">
          {answer.workflows.length === 0 ? WORDS.none : WORDS.hint}
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
                {WORDS.open(workflow.waiting, workflow.unfinished)}
              </span>
              <Button size="small" className="ml-auto" onPress={() => setAsked(workflow)}>
                {WORDS.goOn}
                <span className="sr-only">{WORDS.of(workflow.name)}</span>
              </Button>
            </li>
          ))}
        </ul>
        <span role="status" className="text-[0.8125rem] text-muted empty:hidden">
          {said}
        </span>
      </div>
      <Sheet title={WORDS.goOnTitle(asked?.name ?? '')} isOpen={asked !== null} onClose={close}>
        {asked ? (
          <GoOn
            workflow={asked}
            onClose={close}
            onWentOn={(sentence) => {
              setSaid(sentence);
              refresh();
            }}
          />
        ) : null}
      </Sheet>
    </Panel>
  );
}
