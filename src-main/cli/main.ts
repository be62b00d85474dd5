// The `holdfast` command. Each subcommand is a file of its own; this one only names them.
import { Command, CommanderError } from 'commander';
import { acknowledgeCommand } from '#main/cli/acknowledge.ts';
import { activateCommand } from '#main/cli/activate.ts';
import { addCommand } from '#main/cli/add.ts';
import { answerCommand } from '#main/cli/answer.ts';
import { backupCommand } from '#main/cli/backup.ts';
import { callCommand } from '#main/cli/call.ts';
import { devicesCommand, reachCommand, renameCommand, unpairCommand } from '#main/cli/devices.ts';
import { doctorCommand } from '#main/cli/doctor.ts';
import { exportCommand, importCommand } from '#main/cli/export.ts';
import { grantCommand } from '#main/cli/grant.ts';
import { hookCommand } from '#main/cli/hook.ts';
import { grantsCommand, revokeCommand } from '#main/cli/grants.ts';
import { inboxCommand } from '#main/cli/inbox.ts';
import { inputsCommand } from '#main/cli/inputs.ts';
import { jobCommand } from '#main/cli/job.ts';
import { jobsCommand } from '#main/cli/jobs.ts';
import { listCommand } from '#main/cli/list.ts';
import { pairCommand } from '#main/cli/pair.ts';
import { handoverCommand, ownerCommand, takeoverCommand } from '#main/cli/owner.ts';
import { pauseCommand, resumeCommand } from '#main/cli/pause.ts';
import { practiceCommand } from '#main/cli/practice.ts';
import { publishCommand } from '#main/cli/publish.ts';
import { rerunCommand } from '#main/cli/rerun.ts';
import { retentionCommand } from '#main/cli/retention.ts';
import { resolveCommand } from '#main/cli/resolve.ts';
import { restoreCommand, restoredCommand } from '#main/cli/restore.ts';
import { runCommand } from '#main/cli/run.ts';
import { runnerCommand } from '#main/cli/runner.ts';
import { runsCommand } from '#main/cli/runs.ts';
import { secretCommand } from '#main/cli/secret.ts';
import { serveCommand } from '#main/cli/serve.ts';
import { showCommand } from '#main/cli/show.ts';
import { startCommand } from '#main/cli/start.ts';
import { syncCommand } from '#main/cli/sync.ts';
import { tokenCommand } from '#main/cli/token.ts';
import { tryCommand } from '#main/cli/try.ts';
import { validateCommand } from '#main/cli/validate.ts';
import { StartError } from '#main/platform/start-error.ts';
import { appVersion } from '#main/platform/app-version.ts';
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
    .addCommand(addCommand())
    .addCommand(validateCommand(exitWith))
    .addCommand(tryCommand(exitWith))
    .addCommand(listCommand())
    .addCommand(activateCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(ownerCommand())
    .addCommand(handoverCommand())
    .addCommand(takeoverCommand())
    .addCommand(runCommand())
    .addCommand(publishCommand())
    .addCommand(startCommand(exitWith))
    .addCommand(hookCommand())
    .addCommand(inputsCommand())
    .addCommand(runsCommand())
    .addCommand(showCommand())
    .addCommand(inboxCommand())
    .addCommand(resolveCommand())
    .addCommand(answerCommand())
    .addCommand(acknowledgeCommand())
    .addCommand(rerunCommand())
    .addCommand(grantCommand())
    .addCommand(grantsCommand())
    .addCommand(revokeCommand())
    .addCommand(secretCommand())
    .addCommand(tokenCommand())
    .addCommand(pairCommand())
    .addCommand(devicesCommand())
    .addCommand(renameCommand())
    .addCommand(unpairCommand())
    .addCommand(reachCommand())
    .addCommand(syncCommand())
    .addCommand(runnerCommand(exitWith))
    .addCommand(jobsCommand())
    .addCommand(jobCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(restoredCommand())
    .addCommand(exportCommand())
    .addCommand(retentionCommand())
    .addCommand(importCommand())
    .addCommand(practiceCommand())
    .addCommand(doctorCommand(exitWith))
    .addCommand(callCommand());
  overrideExits(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error);
  }
}

/** Commander would end the process itself: each command, and each below it, is told not to. */
function overrideExits(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) overrideExits(below);
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
