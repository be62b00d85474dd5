// `holdfast practice`: the practice service in the foreground, until it is stopped.
import { Command } from 'commander';
import { parsePort } from '#main/cli/options/port-option.ts';
import { printLine } from '#main/cli/print.ts';
import { untilStopped } from '#main/cli/stop-signal.ts';
import { StartError } from '#main/platform/start-error.ts';
import { PRACTICE_PORT } from '#main/practice/practice-port.ts';
import type { Practice } from '#main/practice/practice.ts';

interface PracticeOptions {
  readonly port: number;
  readonly json?: boolean;
}

export function practiceCommand(): Command {
  return new Command('practice')
    .description('run the practice service: a small outside world that can lose its answers')
    .option('--port <n>', 'port on loopback, 0 for any free one', parsePort, PRACTICE_PORT)
    .option('--json', 'first line on stdout: {"url":…,"pid":…}')
    .action(async ({ port, json }: PracticeOptions) => {
      const practice = await start(port);
      const stopped = untilStopped();
      if (json) printLine(JSON.stringify({ url: practice.url, pid: process.pid }));
      else {
        printLine(`The practice service answers at ${practice.url}`);
        printLine('Open it in a browser to see what it did. Stop with Ctrl+C.');
      }
      await stopped;
      await practice.close();
    });
}

async function start(port: number): Promise<Practice> {
  const { startPractice } = await import('#main/practice/practice.ts');
  try {
    return await startPractice({ port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartError(
      'port_in_use',
      `The port ${port} is taken by another program, perhaps by another practice service. Nothing was started. Choose another one with --port.`,
      { cause: error },
    );
  }
}
