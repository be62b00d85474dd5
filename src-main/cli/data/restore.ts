// `holdfast restore FILE` and `holdfast restored`: back to a backup, and on from there.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { ApiError } from '#shared/api/errors.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup into the place of the database; what it replaces is kept')
    .argument('<file>', 'a backup: see "holdfast backup --list"')
    .addOption(dataOption())
    .action(async (file: string, options: DataOption) => {
      const dir = chooseDataDir(options.data);
      const { restoreBackup } = await import('#main/upkeep/restore.ts');
      const { keptIn, madeAt } = restoreBackup(dir, resolve(file), Date.now());
      const from = madeAt === null ? 'The backup' : `The backup of ${showTime(madeAt)}`;
      printLine(`${from} is now the database of ${dir}.`);
      if (keptIn !== null) printLine(`What was there before is kept, whole, in ${keptIn}.`);
      printLine(AFTERWARDS);
    });
}

const AFTERWARDS = `
What happened after the backup is not known here. So that nothing happens twice, this folder is a
device of its own from now on, and runs no workflow by itself:
  1. Start Holdfast, and pair it with your other devices: they give back what they have.
  2. "holdfast restored" shows what could happen again, and goes on with one workflow at a time.`;

export function restoredCommand(): Command {
  return new Command('restored')
    .description('after a restore: see what could happen again, and go on')
    .argument('[workflow]', WORKFLOW)
    .option('--skip', 'what waited in the backup was done since: go on without it')
    .option('--again', 'what waited in the backup is still to be done: go on with it')
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
    .action((text: string | undefined, options: RestoredOptions) =>
      withHost(options, (host) =>
        text === undefined ? list(host, options) : goOn(host, text, options),
      ),
    );
}

interface RestoredOptions extends DataOption {
  readonly skip?: boolean;
  readonly again?: boolean;
  readonly json?: boolean;
}

async function list(host: HostCalls, { json }: RestoredOptions): Promise<void> {
  const known = await host.call('restored.get', {});
  if (json) return printJson(known);
  if (known.madeAt === null) return printLine('This database was never a backup.');
  printLine(`From a backup of ${showTime(known.madeAt)}.`);
  printTable(
    ['workflow', 'waiting events', 'unfinished runs'],
    known.workflows.map(({ name, waiting, unfinished }) => [
      name,
      String(waiting),
      String(unfinished),
    ]),
    'No workflow stands still because of it.',
  );
}

async function goOn(host: HostCalls, text: string, options: RestoredOptions): Promise<void> {
  const { id, name } = await findWorkflow(host, text);
  if (options.skip === options.again) {
    throw new ApiError({
      type: 'invalid_input',
      message: `What waited in "${name}" when the backup was made may have been done since. Nothing was done. See what was, then say --skip to go on without it, or --again to do it.`,
    });
  }
  const waiting = options.skip ? 'skip' : 'do';
  const { skipped, openQuestions } = await host.call('restored.goOn', { workflowId: id, waiting });
  printLine(`"${name}" is run by this device now.${skipped > 0 ? ` Skipped: ${skipped}.` : ''}`);
  if (openQuestions > 0) printLine('Some of it waits for you: see "holdfast inbox".');
}
