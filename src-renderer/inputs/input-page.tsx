// One input: payload, activity, result and status.
import { FileQuestionMark } from 'lucide-react';
import type { FeedTable } from '#shared/api/feed.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';
import { DeadLetters } from '#renderer/inputs/dead-letters.tsx';
import { InputDetails } from '#renderer/inputs/input-details.tsx';
import { InputHistory } from '#renderer/inputs/input-history.tsx';
import { InputPayload } from '#renderer/inputs/input-payload.tsx';
import { InputReason } from '#renderer/inputs/input-reason.tsx';
import { InputResult } from '#renderer/inputs/input-result.tsx';
import { InputStages } from '#renderer/inputs/input-stages.tsx';
import { InputStory } from '#renderer/inputs/input-story.tsx';
import { canSettle, SettleInput } from '#renderer/inputs/settle-input.tsx';
import { StopInput } from '#renderer/inputs/stop-input.tsx';
import { href } from '#renderer/navigation/router.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { InputChip } from '#renderer/ui/display/status-chip.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import type { QueryDependencies } from '#renderer/stores/live-query.ts';

const TEXT = inputsText.one;

export function InputPage({ inputId }: { readonly inputId: string }) {
  const { answer: input, error, refresh } = useLiveCall('inputs.get', { inputId }, dependenciesOf);
  const back = <BackLink to={href.inputs()}>{TEXT.back}</BackLink>;
  if (input === null && error?.type === 'not_found') {
    return (
      <Page title={TEXT.notFoundTitle} above={back}>
        <EmptyState icon={FileQuestionMark} title={inputId} hint={TEXT.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page
      title={input === null ? TEXT.loading : input.title}
      above={back}
      beside={input ? <InputChip status={input.run.status} hasTooltip /> : null}
      actions={input ? <InputActions input={input} onDone={refresh} /> : null}
    >
      <Failure error={error}>
        <Button size="small" onPress={refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {input ? (
        <>
          <InputReason input={input} />
          <DeadLetters inputId={input.id} />
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div className="grid gap-4">
              <InputPayload input={input} />
              <InputStory input={input} />
              <InputResult input={input} />
            </div>
            <div className="grid gap-4">
              <InputStages run={input.run} />
              <InputDetails input={input} />
              <InputHistory history={input.history} />
            </div>
          </div>
        </>
      ) : error === null ? (
        <PageSkeleton label={TEXT.loading} />
      ) : null}
    </Page>
  );
}

interface InputActionsProps {
  readonly input: InputDetail;
  readonly onDone: () => void;
}

function InputActions({ input, onDone }: InputActionsProps) {
  const canStop = isUnfinished(input.run.status) && input.run.stopping === null;
  return (
    <>
      <CopyJsonButton subject={TEXT.copyAll} value={() => input} />
      {canSettle(input.run) ? <SettleInput inputId={input.id} onDone={onDone} /> : null}
      {canStop ? (
        <>
          <StopInput inputId={input.id} as="skipped" onDone={onDone} />
          <StopInput inputId={input.id} as="canceled" onDone={onDone} />
        </>
      ) : null}
    </>
  );
}

/** New runs and events can appear only while the input is running. */
function dependenciesOf(input: InputDetail | null): QueryDependencies {
  // Changes during the first request may be missing from its reply.
  if (input === null) return { trigger_events: 'any', automation_runs: 'any', handler_runs: 'any' };
  const { id, run, steps } = input;
  const idsOf = (table: 'event' | 'handler_run'): readonly string[] =>
    steps.filter(({ type }) => type === table).map((step) => step.id);
  const effects = steps.flatMap((step) =>
    step.type === 'handler_run' && step.effect !== null ? [step.effect.id] : [],
  );
  const known: QueryDependencies = {
    trigger_events: [id],
    automation_runs: [run.id],
    automation_side_effects: input.sideEffects.map(({ effectId }) => effectId),
    mutations: effects,
    ...(effects.length === 0 ? {} : { resolutions: 'any' }),
    handler_runs: idsOf('handler_run'),
    events: idsOf('event'),
  };
  if (!isUnfinished(run.status)) return known;
  const coming: readonly FeedTable[] = ['handler_runs', 'events', 'mutations'];
  return { ...known, ...Object.fromEntries(coming.map((table) => [table, 'slow'])) };
}
