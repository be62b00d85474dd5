// Grants a tool to a workflow as JSON. Each tool has its own schema, which the host checks.
import { useState } from 'react';
import { ApiError } from '#shared/api/errors.ts';
import type { GrantableTool, WorkflowGrants } from '#shared/api/settings.ts';
import type { Json } from '#shared/json.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { parseJson } from '#renderer/format/parse-typed-json.ts';
import { text } from '#renderer/text/text.ts';
import { Select } from '#renderer/ui/fields/select.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

const TEXT = text.settings.grants;

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
    <Sheet title={TEXT.formTitle(workflow.name)} isOpen={draft !== null} onClose={onClose}>
      {draft ? <Form {...props} draft={draft} /> : null}
    </Sheet>
  );
}

function Form({ workflow, tools, draft, onClose, onGranted }: Props & { draft: GrantDraft }) {
  const { client } = useApp();
  const [first] = tools;
  const [tool, setTool] = useState(draft.tool ?? first?.name ?? '');
  const [scopeText, setScopeText] = useState(
    formatScope(draft.tool === null ? (first?.example ?? {}) : draft.scope),
  );
  const scope = parseJson(scopeText);
  const [wasSent, setWasSent] = useState(false);
  return (
    <SheetForm
      action={() => {
        if (scope === undefined) {
          throw new ApiError({ type: 'invalid_input', message: TEXT.notJson });
        }
        return client.call('workflows.grant', { workflowId: workflow.workflowId, tool, scope });
      }}
      onDone={onGranted}
      validate={() => {
        setWasSent(true);
        return scope !== undefined;
      }}
      submitLabel={TEXT.submit}
      onClose={onClose}
      className="pt-3"
    >
      {draft.tool === null ? (
        <Select
          label={TEXT.tool}
          items={tools.map(({ name }) => ({ id: name, name }))}
          chosen={tool}
          onChoose={(name) => {
            setTool(name);
            setScopeText(formatScope(tools.find((one) => one.name === name)?.example ?? {}));
          }}
        />
      ) : (
        <p>
          {TEXT.tool}: <code className="font-mono font-medium">{tool}</code>
        </p>
      )}
      <TextInput
        label={TEXT.scope}
        hint={TEXT.scopeHint}
        problem={wasSent && scope === undefined ? TEXT.notJson : undefined}
        value={scopeText}
        onChange={setScopeText}
        lines={{ rows: 8, isCode: true }}
      />
    </SheetForm>
  );
}

const formatScope = (scope: Json): string => JSON.stringify(scope, null, 2);
