// `holdfast secret set|list|remove`. A value is never an argument: other processes and the shell
// history could read it.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

const NAME_HELP = 'Name that workflows use';

export function secretCommand(): Command {
  return new Command('secret')
    .description('Manage passwords and keys that workflows use by name')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description('Save a secret; the value is read from standard input')
    .argument('<name>', NAME_HELP)
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      const value = process.stdin.isTTY ? await promptForValue(name) : await readStdin();
      await withHost(options, (host) => host.call('secrets.set', { name, value }));
      printLine(`Saved the secret "${name}".`);
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('Remove a secret permanently')
    .argument('<name>', NAME_HELP)
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      const { removed } = await withHost(options, (host) => host.call('secrets.remove', { name }));
      if (!removed) {
        throw new ApiError({
          type: 'not_found',
          message: `There is no secret "${name}". Nothing was changed. See "holdfast secret list".`,
        });
      }
      printLine(`Removed the secret "${name}".`);
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('List the names of secrets; values are never shown')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { names } = await withHost(options, (host) => host.call('secrets.names', {}));
      if (options.json) printJson({ names });
      else printLine(names.length === 0 ? 'No secrets yet.' : names.join('\n'));
    });
}

/** Strips the trailing newline that editors and `echo` add. */
async function readStdin(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}

/** Reads one line from the terminal without echo. */
function promptForValue(name: string): Promise<string> {
  process.stderr.write(`Value of "${name}" (hidden): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve) => {
    terminal.once('line', (line) => {
      resolve(line);
      terminal.close();
    });
    terminal.once('close', () => {
      process.stderr.write('\n');
      resolve('');
    });
  });
}
