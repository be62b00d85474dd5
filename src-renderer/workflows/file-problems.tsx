// Problems in a workflow file with their positions.
import { text } from '#renderer/text/text.ts';
import { Notice } from '#renderer/ui/feedback/notice.tsx';

export interface FileProblem {
  /** file:line:column */
  readonly position: string;
  readonly message: string;
}

/** Null if they have no positions in a file. */
export function parseProblems(lines: readonly string[]): readonly FileProblem[] | null {
  const problems = lines.flatMap((line) => {
    const [, position, message] = /^(.+?:\d+:\d+): (.*)$/s.exec(line) ?? [];
    return position === undefined || message === undefined ? [] : [{ position, message }];
  });
  return problems.length === 0 || problems.length < lines.length ? null : problems;
}

export function FileProblems({ problems }: { readonly problems: readonly FileProblem[] }) {
  return (
    <Notice tone="bad">
      <p className="font-medium">{text.addWorkflow.problems}</p>
      <ul className="grid gap-1.5">
        {problems.map(({ position, message }) => (
          <li key={`${position} ${message}`}>
            <code className="font-mono text-xs">{position}</code> {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
