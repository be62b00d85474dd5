// Grants a tool to a workflow as JSON. Each tool has its own schema, which the host checks.
import { useState, type FormEvent } from 'react';
import { ApiError } from '#shared/api/errors.ts';
import type { GrantableTool, WorkflowGrants } from '#shared/api/settings.ts';
import type { Json } from '#shared/json.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { OneOf } from '#renderer/ui/one-of.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = text.settings.grants;

/** `tool` is null until the person selects one. */
export interface GrantDraft {
  readonly tool: string | null;
  readonly scope: Json;
}

interface Props {
  readonly workflow: WorkflowGrants;
  readonly tools: readonly GrantableTool[];
  readonly draft: GrantDraft | null;
  readonly onClose: () => void;
  readonly onGranted: () => void;
}

export function GrantForm(props: Props) {
  const { workflow, draft, onClose } = props;
  return (
    <Sheet title={WORDS.formTitle(workflow.name)} isOpen={draft !== null} onClose={onClose}>
      {draft ? <Form {...props} draft={draft} /> : null}
    </Sheet>
  );
}

function Form({ workflow, tools, draft, onClose, onGranted }: Props & { draft: GrantDraft }) {
  const { client } = useApp();
  const [first] = tools;
  const [tool, setTool] = useState(draft.tool ?? first?.name ?? '');
  const [written, setWritten] = useState(
    shown(draft.tool === null ? (first?.example ?? {}) : draft.scope),
  );
  const scope = parse(written);
  const [wasSent, setWasSent] = useState(false);
  const grant = useAct({
    idFor: 'form',
    act: () => {
      if (scope === undefined) {
        throw new ApiError({ type: 'invalid_input', message: WORDS.notJson });
      }
      return client.call('workflows.grant', { workflowId: workflow.workflowId, tool, scope });
    },
    onDone: () => {
      onGranted();
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setWasSent(true);
    if (scope !== undefined) grant.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      {draft.tool === null ? (
        <OneOf
          label={WORDS.tool}
          items={tools.map(({ name }) => ({ id: name, name }))}
          chosen={tool}
          onChoose={(name) => {
            setTool(name);
            setWritten(shown(tools.find((one) => one.name === name)?.example ?? {}));
          }}
        />
      ) : (
        <p>
          {WORDS.tool}: <code className="font-mono font-medium">{tool}</code>
        </p>
      )}
      <TextInput
        label={WORDS.scope}
        hint={WORDS.scopeHint}
        problem={wasSent && scope === undefined ? WORDS.notJson : undefined}
        isInvalid={wasSent && scope === undefined}
        value={written}
        onChange={setWritten}
        lines={{ rows: 8, code: true }}
      />
      <Failure error={grant.error} />
      <FormButtons submit={WORDS.submit} pending={grant.pending} onCancel={onClose} />
    </form>
  );
}

const shown = (scope: Json): string => JSON.stringify(scope, null, 2);

function parse(written: string): Json | undefined {
  try {
    return JSON.parse(written) as Json;
  } catch {
    return undefined;
  }
}
