// Problems in a workflow file with their positions.
import { text } from '#renderer/text/text.ts';
import { Notice } from '#renderer/ui/notice.tsx';

export interface Problem {
  /** file:line:column */
  readonly where: string;
  readonly what: string;
}

/** Null if they have no positions in a file. */
export function readProblems(lines: readonly string[]): readonly Problem[] | null {
  const problems = lines.flatMap((line) => {
    const [, where, what] = /^(.+?:\d+:\d+): (.*)$/s.exec(line) ?? [];
    return where === undefined || what === undefined ? [] : [{ where, what }];
  });
  return problems.length === 0 || problems.length < lines.length ? null : problems;
}

export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <Notice tone="bad">
      <p className="font-medium">{text.addWorkflow.problems}</p>
      <ul className="grid gap-1.5">
        {problems.map(({ where, what }) => (
          <li key={`${where} ${what}`}>
            <code className="font-mono text-xs">{where}</code> {what}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
