// Runs a script again, with the same arguments or with edited ones.
import type { RunnerJobView } from '#shared/api/runner.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

export function RunJobAgain({ job }: { readonly job: RunnerJobView }) {
  const { client, router } = useApp();
  const again = useIdempotentAction({
    idFor: 'click',
    action: (requestId) =>
      client.call('jobs.start', {
        requestId,
        scriptKey: job.scriptKey,
        repoKey: job.repoKey,
        args: scalarArgs(job.args),
      }),
    onDone: ({ id }) => router.navigate(href.job(id)),
  });
  if (job.finishedAt === null) return null;
  return (
    <>
      <Failure error={again.error} />
      <LinkButton to={href.script(job.scriptKey, job.id)}>{text.runScript.change}</LinkButton>
      <Button variant="primary" isPending={again.isPending} onPress={again.perform}>
        {text.runScript.again}
      </Button>
    </>
  );
}

/** The row may hold any JSON, but an accepted job has only these types. */
function scalarArgs(args: RunnerJobView['args']): { [name: string]: string | number | boolean } {
  return Object.fromEntries(
    Object.entries(args).filter(
      (entry): entry is [string, string | number | boolean] =>
        typeof entry[1] === 'string' ||
        typeof entry[1] === 'number' ||
        typeof entry[1] === 'boolean',
    ),
  );
}
