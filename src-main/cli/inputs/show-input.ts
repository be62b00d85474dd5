// One input with its history, the runs and effects it caused, and its payload.
import { describeStatus } from '#main/cli/inputs/inputs.ts';
import { indented, oneLine, shortId, showTime } from '#main/cli/print.ts';
import { formatCost } from '#shared/cost.ts';
import { describeWaitEnd } from '#shared/attention.ts';
import { EFFECT_WORDS } from '#shared/decision-words.ts';
import type { InputDetail, StoryStep } from '#shared/api/inputs.ts';

/** Longer values are cut; `--json` prints them in full. */
const MAX_VALUE_LENGTH = 300;

export function describeInput(input: InputDetail): string {
  const { run } = input;
  return [
    oneLine(`${input.title}  (${input.workflowName})`),
    `input ${input.id}, run ${run.id}`,
    oneLine(`${describeStatus(run)}${!run.statusReason ? '' : `: ${run.statusReason}`}`),
    ...(run.wait === null ? [] : [describeWaitEnd(run.wait)]),
    oneLine(
      `received ${showTime(input.receivedAt)} by ${input.kind} from ${input.source}, ${input.type} ${input.externalId}, ${input.bytes} bytes`,
    ),
    ...(input.cost === 0 ? [] : [`cost ${formatCost(input.cost)}`]),
    ...(input.correlationId === input.id ? [] : [`correlation ${oneLine(input.correlationId)}`]),
    ...section('History', input.history.map(historyLine)),
    ...section('Events and runs', [
      ...stepLines(input.steps),
      ...(input.hasMoreSteps ? ['  … more with --json'] : []),
    ]),
    ...section(
      'Effects',
      input.sideEffects.flatMap((effect) => effectLines(effect, input.id)),
    ),
    ...section('Content', input.unavailable === null ? [] : [`  ${oneLine(input.unavailable)}`]),
    ...section('Payload', input.payload === null ? [] : [`  ${brief(input.payload)}`]),
    ...section(
      'Redacted',
      input.redacted.map(({ path, why }) => `  ${oneLine(path)}: ${why}`),
    ),
    ...section('Completion', input.completion === null ? [] : [`  ${brief(input.completion)}`]),
  ].join('\n');
}

function historyLine({ at, type, to, actor, data }: InputDetail['history'][number]): string {
  const { reason } = (data ?? {}) as { reason?: unknown };
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  return `  ${showTime(at)} ${(to ?? type.replace('automation.', '')).replaceAll('_', ' ').padEnd(12)} by ${oneLine(`${actor}${why}`)}`;
}

/** Indents each step by its distance from the input. */
function stepLines(steps: readonly StoryStep[]): string[] {
  const depths = new Map<string, number>();
  return steps.flatMap((step) => {
    const depth = step.parentId === null ? 0 : (depths.get(step.parentId) ?? 0) + 1;
    depths.set(step.id, depth);
    const indent = '  '.repeat(Math.min(depth, 12) + 1);
    return linesOf(step).map((line) => indented(oneLine(line), indent));
  });
}

function linesOf(step: StoryStep): string[] {
  if (step.type === 'event') {
    const { topic, title, status, attempt } = step.event;
    const again = attempt > 1 ? `, attempt ${attempt}` : '';
    return [`${topic}: ${title}  (${status}${again})`];
  }
  const { run, effect } = step;
  const phase = run.reason === null ? run.phase : `${run.phase}: ${run.reason}`;
  return [
    `${run.handlerName}  ${phase}  (run ${run.id})${run.cost === 0 ? '' : `  ${formatCost(run.cost)}`}`,
    ...(effect === null
      ? []
      : [`  ${effect.title || `${effect.tool}.${effect.method}`}  ${EFFECT_WORDS[effect.status]}`]),
    ...(run.error === null ? [] : [`  ${run.error.split('\n', 1)[0]}`]),
  ];
}

function effectLines(
  { at, kind, effectId, response, inputs }: InputDetail['sideEffects'][number],
  inputId: string,
): string[] {
  return [
    `  ${showTime(at)} ${oneLine(kind)} ${shortId(effectId)} ${brief(response)}`,
    ...inputs
      .filter(({ id }) => id !== inputId)
      .map(({ id, title }) => `    also for input ${shortId(id)} ${oneLine(title)}`),
  ];
}

function brief(value: unknown): string {
  const text = oneLine(JSON.stringify(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

function section(head: string, content: readonly string[]): string[] {
  return content.length === 0 ? [] : ['', head, ...content];
}
