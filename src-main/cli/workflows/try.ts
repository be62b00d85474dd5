// `holdfast try FILE`
import { basename, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withTemporaryHost, type DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { indented, oneLine, printJson, printLine } from '#main/cli/print.ts';
import { readSource } from '#main/cli/workflows/read-source.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { DryRun } from '#shared/api/workflow-files.ts';
import type { Json } from '#shared/json.ts';

interface DryRunEvent {
  readonly topic: string;
  readonly payload: Json;
}

interface TryOptions extends DataOption {
  readonly event: readonly DryRunEvent[];
  readonly json?: boolean;
}

export function tryCommand(exitWith: (code: number) => void): Command {
  return new Command('try')
    .description('Dry-run a workflow file: everything runs, nothing is sent')
    .argument('<file>', 'A .ts or .js file that exports a workflow')
    .option(
      '--event <topic=json>',
      'Start with this event instead of running the producers; repeatable',
      collectEvents,
      [],
    )
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (file: string, options: TryOptions) => {
      const source = readSource(resolve(file));
      const input = { source, fileName: basename(file), events: [...options.event] };
      const result = await withTemporaryHost(chooseDataDir(options.data), (host) =>
        host.call('workflows.try', input),
      );
      const failed = result.runs.filter(({ phase }) => phase !== 'committed');
      if (options.json) printJson({ ok: failed.length === 0, ...result });
      else printLine(describe(result, failed.length));
      exitWith(failed.length === 0 ? 0 : 1);
    });
}

function collectEvents(text: string, before: readonly DryRunEvent[]): DryRunEvent[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`Must look like topic='{"some":"json"}'.`);
  const payload = parseJsonArgument(text.slice(at + 1));
  return [...before, { topic: text.slice(0, at), payload }];
}

function describe({ name, warnings, runs, pending, isCut }: DryRun, failed: number): string {
  const effects = runs.filter(({ mutation }) => mutation !== null).length;
  const totals = [
    `${count(runs.length, 'run')}, ${count(effects, 'effect')} recorded, not sent`,
    ...(failed > 0 ? [`${failed} did not commit`] : []),
    ...(isCut ? ['stopped by the time limit'] : []),
  ];
  return [
    ...warnings.map((warning) => `note: ${warning}`),
    ...runs.map(describeRun),
    ...pending.map(({ name: topic, pending: left }) => `still pending in ${topic}: ${left}`),
    `${name}: ${totals.join('; ')}.`,
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

/** In a dry run next() gets no real result, which may be why it failed. */
const HINT = '  note       Nothing was sent, so next() got null as the result of the effect.';

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
