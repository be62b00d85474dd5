// `holdfast try FILE`: what a workflow would do, without doing it.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import type { TriedEvent } from '#main/cli/workflows/dry-run-file.ts';
import type { DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { indented, oneLine, printJson, printLine } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { DryRun } from '#shared/api/workflow-files.ts';

interface TryOptions extends DataOption {
  readonly event: readonly TriedEvent[];
  readonly json?: boolean;
}

export function tryCommand(exitWith: (code: number) => void): Command {
  return new Command('try')
    .description('run a workflow file once without sending anything, and show what it would do')
    .argument('<file>', 'a .ts or .js file that exports a workflow')
    .option(
      '--event <topic=json>',
      'begin with this event instead of running the producers; may be given several times',
      gatherEvents,
      [],
    )
    .addOption(dataOption())
    .option('--json', 'print what happened as JSON')
    .action(async (file: string, options: TryOptions) => {
      const { dryRun } = await import('#main/cli/workflows/dry-run-file.ts');
      const tried = await dryRun(resolve(file), options.event, chooseDataDir(options.data));
      const failed = tried.runs.filter(({ phase }) => phase !== 'committed');
      if (options.json) printJson({ ok: failed.length === 0, ...tried });
      else printLine(describe(tried, failed.length));
      exitWith(failed.length === 0 ? 0 : 1);
    });
}

function gatherEvents(text: string, before: readonly TriedEvent[]): TriedEvent[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`Write it like this: topic='{"some":"json"}'.`);
  const payload = parseJsonArgument(text.slice(at + 1));
  return [...before, { topic: text.slice(0, at), payload }];
}

function describe({ name, warnings, runs, pending, isCut }: DryRun, failed: number): string {
  const effects = runs.filter(({ mutation }) => mutation !== null).length;
  const sums = [
    `${count(runs.length, 'run')}, ${count(effects, 'effect')} recorded and not sent`,
    ...(failed > 0 ? [`${failed} did not come to an end`] : []),
    ...(isCut ? ['it took too long and was ended'] : []),
  ];
  return [
    ...warnings.map((warning) => `note: ${warning}`),
    ...runs.map(describeRun),
    ...pending.map(({ name: topic, pending: left }) => `still pending in ${topic}: ${left}`),
    `${name}: ${sums.join('; ')}.`,
  ].join('\n');
}

function describeRun(run: HandlerRunDetail): string {
  const { handlerName, title, phase, mutation, eventsOut, logs, error } = run;
  const parts = [
    oneLine(`${handlerName}${title === null ? '' : `: ${title}`}`),
    ...logs.map(({ text }) => indented(text, '  log        ')),
    ...(mutation
      ? [
          `  not sent   ${oneLine(mutation.title)}`,
          `             ${mutation.tool}.${mutation.method} ${oneLine(JSON.stringify(mutation.params))}`,
        ]
      : []),
    ...eventsOut.map(
      ({ topic, title: about, payload }) =>
        `  published  ${oneLine(`${topic}: ${about}  ${JSON.stringify(payload)}`)}`,
    ),
    ...(phase === 'committed' ? [] : [indented(error ?? phase, `  ${phase.padEnd(11)}`)]),
    ...(mutation && phase === 'suspended' ? [HINT] : []),
  ];
  return `${parts.join('\n')}\n`;
}

/** After the effect only next() can have failed, and here it had less to go by than later. */
const HINT = '  note       Nothing was sent, so next() got null as the result of the effect.';

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
