// The `holdfast` command. Each subcommand is a file of its own; this one only names them.
import { Command, CommanderError } from 'commander';
import { callCommand } from '#main/cli/call.ts';
import { doctorCommand } from '#main/cli/doctor.ts';
import { serveCommand } from '#main/cli/serve.ts';
import { StartError } from '#main/host/start-error.ts';
import { appVersion } from '#main/host/app-version.ts';
import { ApiError } from '#shared/api/errors.ts';

/** Returns the exit code. Only bugs throw. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('holdfast')
    .description('Durable automation on your own machines.')
    .version(appVersion())
    .exitOverride()
    .addCommand(serveCommand(exitWith))
    .addCommand(doctorCommand(exitWith))
    .addCommand(callCommand());
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): number {
  // Commander has said its sentence already; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof ApiError || error instanceof StartError) {
    process.stderr.write(`holdfast: ${error.message}\n`);
    return 1;
  }
  throw error;
}
