// One input: payload, activity, result and status.
import type { FeedTable } from '#shared/api/feed.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';
import { DeadLetters } from '#renderer/inputs/dead-letters.tsx';
import { InputArtifacts } from '#renderer/inputs/input-artifacts.tsx';
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
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { InputChip } from '#renderer/ui/display/status-chip.tsx';
import { RecordPage } from '#renderer/ui/layout/record-page.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import type { QueryDependencies } from '#renderer/stores/live-query.ts';

const TEXT = inputsText.one;

export function InputPage({ inputId }: { readonly inputId: string }) {
  const { answer: input, error, refresh } = useLiveCall('inputs.get', { inputId }, dependenciesOf);
  return (
    <RecordPage
      id={inputId}
      record={input}
      error={error}
      onRetry={refresh}
      text={TEXT}
      backTo={href.inputs()}
      title={input?.title}
      beside={input ? <InputChip status={input.run.status} hasTooltip /> : null}
      actions={input ? <InputActions input={input} onDone={refresh} /> : null}
    >
      {(shown) => (
        <>
          <InputReason input={shown} />
          <DeadLetters inputId={shown.id} />
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div className="grid gap-4">
              <InputPayload input={shown} />
              <InputStory input={shown} />
              <InputResult input={shown} />
              <InputArtifacts input={shown} />
            </div>
            <div className="grid gap-4">
              <InputStages run={shown.run} />
              <InputDetails input={shown} />
              <InputHistory history={shown.history} />
            </div>
          </div>
        </>
      )}
    </RecordPage>
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
