// `holdfast secret set NAME`, `holdfast secret list` and `holdfast secret remove NAME`. A value never stands in the arguments,
// where every process of this machine, and the shell's history, could read it.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine } from '#main/cli/print.ts';

export function secretCommand(): Command {
  return new Command('secret')
    .description('passwords and keys that workflows use by name')
    .addCommand(setCommand())
    .addCommand(namesCommand())
    .addCommand(removeCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description('keep a secret; its value is read from standard input')
    .argument('<name>', 'how workflows call it')
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      const value = process.stdin.isTTY ? await askFor(name) : await readAll();
      await withHost(options, (host) => host.call('secrets.set', { name, value }));
      printLine(`The secret "${name}" is kept.`);
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('forget a secret; it cannot be brought back')
    .argument('<name>', 'how workflows call it')
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      const { removed } = await withHost(options, (host) => host.call('secrets.remove', { name }));
      printLine(removed ? `The secret "${name}" is gone.` : `There is no secret "${name}".`);
    });
}

function namesCommand(): Command {
  return new Command('list')
    .description('show the names of the secrets, never their values')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { names } = await withHost(options, (host) => host.call('secrets.names', {}));
      if (options.json) printJson({ names });
      else printLine(names.length === 0 ? 'There are no secrets yet.' : names.join('\n'));
    });
}

/** Of a pipe or file, without the line end that editors and `echo` put there. */
async function readAll(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}

/** One line from the terminal, which does not show it. */
function askFor(name: string): Promise<string> {
  process.stderr.write(`Value of "${name}" (it is not shown): `);
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
