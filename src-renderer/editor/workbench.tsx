// Editor, dry run panel and list of problems.
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import type { EditorActions, Problem } from '#renderer/editor/code-editor.tsx';
import { LazyCodeEditor } from '#renderer/editor/lazy-editor.tsx';
import { DryRunPanel } from '#renderer/editor/dry-run-panel.tsx';
import { useValidation } from '#renderer/editor/use-validation.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { useIsNarrow } from '#renderer/ui/layout/use-is-narrow.ts';

interface Props {
  readonly fileName: string;
  readonly text: string;
  readonly onType: (text: string) => void;
  readonly onSave: () => void;
  /** Left side of the bar: the file and its state. */
  readonly about: ReactNode;
  /** Right side of the bar. */
  readonly actions: ReactNode;
}

export function Workbench({ fileName, text, onType, onSave, about, actions }: Props) {
  const editorActions = useRef<EditorActions | null>(null);
  const isNarrow = useIsNarrow('lg');
  const { validation, isFresh } = useValidation(text, fileName);
  const goTo = (line: number, column: number): void => editorActions.current?.goTo(line, column);
  const save = (event: React.KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    onSave();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a shortcut for the button inside.
    <div
      onKeyDown={save}
      className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-lg bg-surface shadow-raised ring-1 ring-line"
    >
      <div className="flex shrink-0 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-3 py-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem]">
          {about}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" variant="quiet" onPress={() => editorActions.current?.format()}>
            {workflowText.editor.format}
          </Button>
          {actions}
        </div>
      </div>
      <Group
        key={isNarrow ? 'narrow' : 'wide'}
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        className="min-h-0 flex-1"
      >
        <Panel
          defaultSize={isNarrow ? '60%' : '64%'}
          minSize="25%"
          className="flex min-h-0 flex-col"
        >
          <div className="min-h-0 flex-1">
            <LazyCodeEditor
              key={fileName}
              label={workflowText.editor.label(fileName)}
              fileName={fileName}
              text={text}
              problems={validation?.problems ?? NO_PROBLEMS}
              onChange={onType}
              onReady={(given) => {
                editorActions.current = given;
              }}
            />
          </div>
          <Problems
            problems={validation?.problems ?? null}
            warnings={validation?.warnings ?? []}
            isFresh={isFresh}
            onGoTo={goTo}
          />
        </Panel>
        <Separator
          aria-label={workflowText.editor.resize}
          className={`bg-line outline-offset-0 data-[separator=active]:bg-accent data-[separator=hover]:bg-line-strong ${isNarrow ? 'h-px' : 'w-px'}`}
        />
        <Panel minSize="20%" className="min-h-0">
          <DryRunPanel
            source={text}
            fileName={fileName}
            topics={validation?.topics ?? []}
            onGoTo={goTo}
          />
        </Panel>
      </Group>
    </div>
  );
}

const NO_PROBLEMS: readonly Problem[] = [];

interface ProblemsProps {
  readonly problems: readonly Problem[] | null;
  readonly warnings: readonly string[];
  readonly isFresh: boolean;
  readonly onGoTo: (line: number, column: number) => void;
}

function Problems({ problems, warnings, isFresh, onGoTo }: ProblemsProps) {
  return (
    <div
      role="status"
      className="max-h-36 shrink-0 overflow-y-auto border-t border-line px-3 py-1.5 text-[0.8125rem]"
    >
      <span className="flex items-center gap-1.5">
        <ValidationState problems={problems} isFresh={isFresh} />
      </span>
      <ul className="grid gap-0.5 empty:hidden">
        {problems?.map(({ message, line, column }) => (
          <li key={`${line}:${column} ${message}`}>
            <button
              type="button"
              onClick={() => onGoTo(line, column)}
              className="rounded-sm text-left wrap-anywhere text-bad hover:underline"
            >
              <span className="tabular font-medium">
                {workflowText.editor.whereIs(line, column)}:
              </span>{' '}
              {message}
            </button>
          </li>
        ))}
        {warnings.map((warning) => (
          <li key={warning} className="wrap-anywhere text-muted">
            {warning}
          </li>
        ))}
      </ul>
    </div>
  );
}

function ValidationState({ problems, isFresh }: Pick<ProblemsProps, 'problems' | 'isFresh'>) {
  if (!isFresh || problems === null) {
    return (
      <>
        <LoaderCircle aria-hidden className="size-3.5 text-muted" />
        <span className="text-muted">{workflowText.editor.checking}</span>
      </>
    );
  }
  return problems.length === 0 ? (
    <>
      <CircleCheck aria-hidden className="size-3.5 text-good" />
      <span className="text-good">{workflowText.editor.noProblems}</span>
    </>
  ) : (
    <>
      <CircleAlert aria-hidden className="size-3.5 text-bad" />
      <span className="font-medium text-bad">{workflowText.editor.problems(problems.length)}</span>
    </>
  );
}
