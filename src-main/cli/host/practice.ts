// `holdfast practice`: runs the practice service in the foreground.
import { Command } from 'commander';
import { parsePort } from '#main/cli/options/port-option.ts';
import { printLine } from '#main/cli/print.ts';
import { waitForStopSignal } from '#main/cli/stop-signal.ts';
import { StartError } from '#main/platform/start-error.ts';
import { PRACTICE_PORT } from '#main/practice/practice-port.ts';
import type { Practice } from '#main/practice/practice.ts';

interface PracticeOptions {
  readonly port: number;
  readonly json?: boolean;
}

export function practiceCommand(): Command {
  return new Command('practice')
    .description('Run the practice service, a local test server that can drop its replies')
    .option('--port <n>', 'Port on loopback, or 0 for any free port', parsePort, PRACTICE_PORT)
    .option('--json', 'Print {"url":…,"pid":…} as the first line')
    .action(async ({ port, json }: PracticeOptions) => {
      const practice = await start(port);
      const stopped = waitForStopSignal();
      if (json) printLine(JSON.stringify({ url: practice.url, pid: process.pid }));
      else {
        printLine(`The practice service answers at ${practice.url}`);
        printLine('Open it in a browser to see the effects it received. Press Ctrl+C to stop.');
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
      `Port ${port} is in use by another program, perhaps by another practice service. Nothing was started. Choose another port with --port.`,
      { cause: error },
    );
  }
}
