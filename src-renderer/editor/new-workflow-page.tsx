// Creates a workflow from a template. It can be dry-run before the file exists.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { TEMPLATES, type Template } from '#renderer/editor/templates.ts';
import {
  removeUnsaved,
  storeUnsaved,
  NEW_WORKFLOW_ID,
  readUnsaved,
  warnBeforeLeaving,
} from '#renderer/editor/unsaved-changes.ts';
import { Workbench } from '#renderer/editor/workbench.tsx';
import { href } from '#renderer/navigation/router.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const [DEFAULT_TEMPLATE] = TEMPLATES;

export function NewWorkflowPage() {
  const { client, router } = useApp();
  const [template, setTemplate] = useState<Template>(DEFAULT_TEMPLATE);
  const [fileName, setFileName] = useState(DEFAULT_TEMPLATE.fileName);
  const [source, setSource] = useState(
    () => readUnsaved(NEW_WORKFLOW_ID)?.text ?? DEFAULT_TEMPLATE.source,
  );
  useEffect(() => warnBeforeLeaving(), []);

  const type = (text: string): void => {
    setSource(text);
    if (TEMPLATES.some((one) => one.source === text)) removeUnsaved(NEW_WORKFLOW_ID);
    else storeUnsaved(NEW_WORKFLOW_ID, { text, basedOn: null });
  };
  const choose = (id: string | null): void => {
    const chosen = TEMPLATES.find((one) => one.id === id) ?? DEFAULT_TEMPLATE;
    setTemplate(chosen);
    setFileName(chosen.fileName);
    type(chosen.source);
  };
  const create = useIdempotentAction<CallOutput<'workflows.newFile'>>({
    idFor: 'click',
    action: () => client.call('workflows.newFile', { fileName: fileName.trim(), source }),
    onDone: ({ workflowId }) => {
      removeUnsaved(NEW_WORKFLOW_ID);
      router.navigate(href.workflow(workflowId, 'edit'));
    },
  });

  return (
    <Page
      title={workflowText.create.title}
      above={<BackLink to={href.workflows()}>{workflowText.page.back}</BackLink>}
      fillHeight="always"
    >
      <div className="flex shrink-0 flex-wrap items-end gap-x-4 gap-y-3">
        <div className="grid gap-1">
          <span aria-hidden className="font-medium">
            {workflowText.create.template}
          </span>
          <FilterSelect
            label={workflowText.create.template}
            allLabel={DEFAULT_TEMPLATE.name}
            items={TEMPLATES.slice(1)}
            chosen={template.id === DEFAULT_TEMPLATE.id ? null : template.id}
            onChoose={choose}
          />
        </div>
        <div className="w-64 max-w-full">
          <TextInput
            label={workflowText.create.fileName}
            value={fileName}
            onChange={setFileName}
            isInvalid={!/\.[jt]s$/.test(fileName.trim())}
            isRequired
          />
        </div>
        <p className="min-w-64 flex-1 text-[0.8125rem] text-muted max-lg:basis-full">
          {template.about}. {workflowText.create.fileHint} {workflowText.create.hint}
        </p>
      </div>
      <Failure error={create.error} />
      <Workbench
        fileName={template.fileName}
        text={source}
        onType={type}
        onSave={create.perform}
        about={<span className="font-mono text-xs">{fileName}</span>}
        actions={
          <Button
            size="small"
            variant="primary"
            isPending={create.isPending}
            onPress={create.perform}
          >
            {create.isPending ? workflowText.create.submitting : workflowText.create.submit}
          </Button>
        }
      />
    </Page>
  );
}
