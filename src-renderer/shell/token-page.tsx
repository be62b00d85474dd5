// Asks for the API token in a browser that has none.
import { useState, type FormEvent } from 'react';
import { ApiError } from '#shared/api/errors.ts';
import { parseToken } from '#renderer/client/access-token.ts';
import { Logo } from '#renderer/shell/logo.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';

interface Props {
  /** True if the host refused this tab's key. */
  readonly isRefused: boolean;
  readonly onToken: (token: string) => void;
}

export function TokenPage({ isRefused, onToken }: Props) {
  const [pasted, setPasted] = useState('');
  const [problem, setProblem] = useState<string | null>(isRefused ? text.token.refused : null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const token = parseToken(pasted);
    if (token === null) setProblem(text.token.unreadable);
    else onToken(token);
  };
  const code = 'rounded bg-sunken px-1.5 py-0.5 font-mono text-[0.8125rem] ring-1 ring-line';

  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <form
        onSubmit={submit}
        className="grid w-full max-w-md gap-4 rounded-xl bg-surface p-6 shadow-overlay"
      >
        <Logo />
        <div className="grid gap-2">
          <h1 className="text-lg font-semibold tracking-tight">{text.token.title}</h1>
          <p className="text-muted">{text.token.why}</p>
          <p className="leading-6.5">
            {text.token.howFirst} <code className={code}>holdfast serve</code> {text.token.howOr}{' '}
            <code className={code}>npm start</code>. {text.token.howSecond}
          </p>
        </div>
        <TextInput
          label={text.token.field}
          placeholder={text.token.placeholder}
          value={pasted}
          onChange={setPasted}
          isInvalid={problem !== null}
          takesFocus
        />
        <Failure
          error={problem === null ? null : new ApiError({ type: 'unauthorized', message: problem })}
        />
        <Button type="submit" variant="primary" className="justify-self-start">
          {text.token.submit}
        </Button>
      </form>
    </main>
  );
}
