// The form of a script. Runs the same checks as the host beside each field; the host adds what only
// it can check, such as paths.
import { useState, type FormEvent } from 'react';
import type { RunnerScriptView } from '#shared/api/runner.ts';
import { formValues, readForm, type FormValues } from '#shared/runner/form-args.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { ArgField } from '#renderer/jobs/arg-field.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly script: RunnerScriptView;
  /** Prefills the form. */
  readonly args?: { readonly [name: string]: unknown };
  readonly repo?: string;
}

const NO_ARGS = {};

export function RunScriptForm({ script, args: before = NO_ARGS, repo: wanted = '' }: Props) {
  const { client, router } = useApp();
  const [repo, setRepo] = useState(
    script.repos.includes(wanted) ? wanted : (script.repos[0] ?? ''),
  );
  const [values, setValues] = useState<FormValues>(() => formValues(script.args, before));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { args, flaws } = readForm(script.args, values);
  const isValid = Object.keys(flaws).length === 0;
  const start = useIdempotentAction({
    // A changed form is a new request. The same form sent again is the same job.
    idFor: 'click',
    action: (requestId) =>
      client.call('jobs.start', { requestId, scriptKey: script.key, repoKey: repo, args }),
    onDone: ({ id }) => router.navigate(href.job(id)),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsSubmitted(true);
    if (isValid) start.perform();
  };
  return (
    <form onSubmit={submit} className="grid max-w-2xl gap-4" noValidate>
      {script.repos.length > 1 ? (
        <Select
          label={text.runScript.repo}
          items={script.repos.map((name) => ({ id: name, name }))}
          chosen={repo}
          onChoose={setRepo}
        />
      ) : null}
      {script.args.length === 0 ? <p className="text-muted">{text.runScript.noArgs}</p> : null}
      {script.args.map(({ name, spec }) => (
        <ArgField
          key={name}
          name={name}
          spec={spec}
          value={values[name]}
          flaw={isSubmitted || values[name] !== '' ? flaws[name] : undefined}
          onChange={(value) => setValues((all) => ({ ...all, [name]: value }))}
        />
      ))}
      <Failure error={start.error} />
      <Button
        type="submit"
        variant="primary"
        isPending={start.isPending}
        className="justify-self-start"
      >
        {text.runScript.submit}
      </Button>
    </form>
  );
}
