// Events and runs that followed from an input, indented below their cause.
import { MessageSquare, Zap } from 'lucide-react';
import type { InputDetail, StoryStep } from '#shared/api/inputs.ts';
import { formatCost } from '#shared/cost.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';
import { exactClockTime } from '#renderer/format/format-time.ts';
import { arrangeSteps, stepTitle, type PlacedStep } from '#renderer/inputs/story-tree.ts';
import { href } from '#renderer/navigation/router.ts';
import { EffectCall } from '#renderer/runs/effect-panel.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { historyLabel } from '#renderer/text/runs-text.ts';
import { effectSentence } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { EffectChip, EventChip, PhaseChip } from '#renderer/ui/display/status-chip.tsx';
import { ExactTime, RunDuration } from '#renderer/ui/display/time.tsx';

const TEXT = inputsText.one;
/** Deeper steps aren't indented further; screen readers still hear their cause. */
const MAX_INDENT = 6;
const INDENT_REM = 1.25;

export function InputStory({ input }: { readonly input: InputDetail }) {
  const steps = arrangeSteps(input.steps);
  return (
    <Panel title={TEXT.story}>
      {steps.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">
          {isUnfinished(input.run.status) ? TEXT.noStory : TEXT.noStoryEnded}
        </p>
      ) : (
        <ol className="grid gap-1">
          {steps.map((placed) => (
            <Step key={placed.step.id} placed={placed} />
          ))}
        </ol>
      )}
      {input.hasMoreSteps ? (
        <p className="mt-3 text-[0.8125rem] text-muted">{TEXT.moreSteps}</p>
      ) : null}
    </Panel>
  );
}

function Step({ placed: { step, depth, cause } }: { readonly placed: PlacedStep }) {
  const Icon = step.type === 'event' ? MessageSquare : Zap;
  return (
    <li
      className="relative grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2 rounded-md py-1.5 text-[0.8125rem]"
      style={{ marginLeft: `${Math.min(depth, MAX_INDENT) * INDENT_REM}rem` }}
    >
      {depth === 0 ? null : (
        <span
          aria-hidden
          className="absolute -top-1 -left-2.5 h-4.5 w-2.5 rounded-bl-md border-b border-l border-line-strong"
        />
      )}
      <Icon aria-hidden className="mt-0.5 size-3.5 text-muted" />
      <div className="grid gap-1">
        {step.type === 'event' ? <EventStep step={step} /> : <RunStep step={step} />}
        {cause === null ? null : (
          <span className="sr-only">{TEXT.followsFrom(stepTitle(cause))}</span>
        )}
      </div>
    </li>
  );
}

function EventStep({ step: { event } }: { readonly step: StoryStep & { type: 'event' } }) {
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="font-medium wrap-anywhere">
          <span className="sr-only">{TEXT.event} </span>
          <bdi>{event.title}</bdi>
        </span>
        <EventChip status={event.status} hasTooltip />
        <span className="wrap-anywhere text-muted">
          {event.topic} · <StepTime at={event.createdAt} />
        </span>
      </span>
      {event.payload === null ? null : (
        <Disclosure label={text.run.payload} subject={event.title}>
          <JsonText label={text.run.payloadOf(event.title)} value={event.payload} />
        </Disclosure>
      )}
    </>
  );
}

function RunStep({ step }: { readonly step: StoryStep & { type: 'handler_run' } }) {
  const { run, effect, log } = step;
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <TextLink to={href.run(run.id)} className="font-medium wrap-anywhere">
          <span className="sr-only">{TEXT.run} </span>
          <bdi>{stepTitle(step)}</bdi>
        </TextLink>
        <PhaseChip status={run.phase} hasTooltip />
        <span className="tabular wrap-anywhere text-muted">
          {run.handlerName} · <StepTime at={run.startedAt} /> ·{' '}
          <RunDuration from={run.startedAt} to={run.endedAt} />
          {run.cost === 0 ? null : ` · ${formatCost(run.cost)}`}
        </span>
      </span>
      {effect === null ? null : (
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="sr-only">{TEXT.effect}</span>
          <EffectChip status={effect.status} hasTooltip />
          <span className="wrap-anywhere">
            <EffectCall mutation={effect} />
            <span className="text-muted"> · {effectSentence(effect)}</span>
          </span>
        </span>
      )}
      {run.error === null ? null : (
        <p className="wrap-anywhere whitespace-pre-wrap text-bad">{run.error}</p>
      )}
      {log.length === 0 ? null : (
        <Disclosure label={TEXT.log} subject={stepTitle(step)}>
          <ol className="grid gap-2">
            {log.map((entry, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- an append-only log.
              <li key={index} className="grid gap-1">
                <span>
                  {historyLabel(entry.type)}
                  <span className="text-muted">
                    {' '}
                    · <ExactTime at={entry.at} />
                  </span>
                </span>
                <JsonText label={historyLabel(entry.type)} value={entry.data} />
              </li>
            ))}
          </ol>
        </Disclosure>
      )}
    </>
  );
}

function StepTime({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} className="tabular">
      {exactClockTime(at)}
    </time>
  );
}
