// `holdfast show ID`: one run with its phases, effect, events and log, or one input with its history.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findInput } from '#main/cli/find/find-input.ts';
import { loadDeviceLabels, type DeviceLabels } from '#main/cli/find/device-labels.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { indented, oneLine, printJson, printLine, shortId, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import { describeInput } from '#main/cli/inputs/show-input.ts';
import { formatCost } from '#shared/cost.ts';
import { DECISION_STATUS_WORDS, DECISION_WORDS, EFFECT_WORDS } from '#shared/decision-words.ts';
import type { EventView, HandlerRunDetail, MutationView } from '#shared/api/handler-runs.ts';

export function showCommand(): Command {
  return new Command('show')
    .description('Show a run or an input')
    .argument('<id>', 'Id shown by "holdfast runs" or "holdfast inputs"')
    .addOption(dataOption())
    .option('--raw', 'Print only the payload of an input, as it was received, secrets included')
    .option('--json', 'Print as JSON')
    .action((id: string, options: DataOption & { raw?: boolean; json?: boolean }) =>
      withHost(options, async (host) => {
        const input = await findInput(host, id);
        if (options.raw) return printRaw(host, id, input?.id);
        if (input) return options.json ? printJson(input) : printLine(describeInput(input));
        const run = await host.call('handlerRuns.get', { handlerRunId: id }).catch(neither(id));
        if (options.json) return printJson(run);
        printLine(describeRun(run, await loadDeviceLabels(host)));
      }),
    );
}

async function printRaw(host: HostClient, id: string, inputId: string | undefined): Promise<void> {
  if (inputId === undefined) {
    throw new ApiError({
      type: 'not_found',
      message: `There is no input with the id "${id}". Only inputs have a raw payload. See "holdfast inputs".`,
    });
  }
  const { text } = await host.call('inputs.raw', { inputId });
  // Exactly the text, so that it can be saved to a file. A terminal gets no control sequences.
  if (process.stdout.isTTY) printLine(indented(text, ''));
  else process.stdout.write(text);
}

/** An id that is neither a run's nor an input's. */
function neither(id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || error.type !== 'not_found') throw error;
    throw new ApiError({
      type: 'not_found',
      message: `There is no run and no input with the id "${id}". See "holdfast runs" and "holdfast inputs".`,
    });
  };
}

function describeRun(run: HandlerRunDetail, labelOf: DeviceLabels): string {
  return [
    oneLine(`${run.title ?? run.handlerName}  (${run.workflowName}, ${run.handlerName})`),
    `run ${run.id}, ${run.reason === null ? run.phase : `${run.phase}: ${run.reason}`}`,
    ...(run.cost === 0 ? [] : [`cost ${formatCost(run.cost)}`]),
    ...(run.retryOf === null ? [] : [`retry of ${run.retryOf}`]),
    ...(run.retriedBy === null ? [] : [`retried by ${run.retriedBy}`]),
    ...section('Phases', phaseLines(run)),
    ...(run.mutation ? section('Effect', effectLines(run.mutation, labelOf)) : []),
    ...section(
      'Inputs',
      run.inputs.map(({ id, title }) => `  ${shortId(id)} ${oneLine(title)}`),
    ),
    ...section('Events reserved', run.eventsIn.map(eventLine)),
    ...section('Events published', run.eventsOut.map(eventLine)),
    ...section('Error', run.error === null ? [] : [indented(run.error, '  ')]),
    ...section(
      'Log',
      run.logs.map(({ level, text }) => indented(`${level.padEnd(5)} ${text}`, '  ')),
    ),
  ].join('\n');
}

function section(head: string, content: readonly string[]): string[] {
  return content.length === 0 ? [] : ['', head, ...content];
}

function phaseLines({ timeline }: HandlerRunDetail): string[] {
  return Object.entries(timeline)
    .toSorted(([, one], [, other]) => one - other)
    .map(([phase, at]) => `  ${phase.padEnd(10)} ${showTime(at)}`);
}

function effectLines(mutation: MutationView, labelOf: DeviceLabels): string[] {
  const { id, status, title, tool, method, params, error, result, cost, resolutions } = mutation;
  return [
    `  ${oneLine(title)}`,
    `  ${EFFECT_WORDS[status]}, id ${shortId(id)}, effect id ${mutation.effectId}`,
    `  ${tool}.${method} ${oneLine(JSON.stringify(params)).slice(0, 500)}`,
    ...(cost === 0 ? [] : [`  cost ${formatCost(cost)}`]),
    ...(error === null ? [] : [indented(error, '  ')]),
    ...(result === null ? [] : [`  result ${oneLine(JSON.stringify(result)).slice(0, 500)}`]),
    ...resolutions
      .map(({ resolution, status: decision, note, createdAt, deviceId }) =>
        oneLine(
          `${showTime(createdAt)} decided on ${labelOf(deviceId)}: ${DECISION_WORDS[resolution]} (${DECISION_STATUS_WORDS[decision]})${note === null ? '' : `: ${note}`}`,
        ),
      )
      .map((line) => `  ${line}`),
  ];
}

function eventLine({ topic, title, id, status, attempt }: EventView): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return `  ${oneLine(`${topic}: ${title}`)}  (${status}${again}, event ${id})`;
}
