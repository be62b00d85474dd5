// Creates a workflow from a template. It can be dry-run before the file exists.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { TEMPLATES, type Template } from '#renderer/editor/templates.ts';
import {
  forgetUnsaved,
  keepUnsaved,
  NEW,
  readUnsaved,
  warnBeforeLeaving,
} from '#renderer/editor/unsaved.ts';
import { Workbench } from '#renderer/editor/workbench.tsx';
import { href } from '#renderer/router.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { Choice } from '#renderer/ui/choice.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

const [FIRST] = TEMPLATES;

export function NewWorkflowPage() {
  const { client, router } = useApp();
  const [template, setTemplate] = useState<Template>(FIRST);
  const [fileName, setFileName] = useState(FIRST.fileName);
  const [source, setSource] = useState(() => readUnsaved(NEW)?.text ?? FIRST.source);
  useEffect(() => warnBeforeLeaving(), []);

  const type = (text: string): void => {
    setSource(text);
    if (TEMPLATES.some((one) => one.source === text)) forgetUnsaved(NEW);
    else keepUnsaved(NEW, { text, basedOn: null });
  };
  const choose = (id: string | null): void => {
    const chosen = TEMPLATES.find((one) => one.id === id) ?? FIRST;
    setTemplate(chosen);
    setFileName(chosen.fileName);
    type(chosen.source);
  };
  const create = useAct<CallOutput<'workflows.newFile'>>({
    idFor: 'click',
    act: () => client.call('workflows.newFile', { fileName: fileName.trim(), source }),
    onDone: ({ workflowId }) => {
      forgetUnsaved(NEW);
      router.navigate(href.workflow(workflowId, 'edit'));
    },
  });

  return (
    <Page
      title={flowText.create.title}
      above={<BackLink to={href.workflows()}>{flowText.page.back}</BackLink>}
      fills="always"
    >
      <div className="flex shrink-0 flex-wrap items-end gap-x-4 gap-y-3">
        <div className="grid gap-1">
          <span aria-hidden className="font-medium">
            {flowText.create.template}
          </span>
          <Choice
            label={flowText.create.template}
            all={FIRST.name}
            items={TEMPLATES.slice(1)}
            chosen={template.id === FIRST.id ? null : template.id}
            onChoose={choose}
          />
        </div>
        <div className="w-64 max-w-full">
          <TextInput
            label={flowText.create.fileName}
            value={fileName}
            onChange={setFileName}
            isInvalid={!/\.[jt]s$/.test(fileName.trim())}
            isRequired
          />
        </div>
        <p className="min-w-64 flex-1 text-[0.8125rem] text-muted max-lg:basis-full">
          {template.about}. {flowText.create.fileHint} {flowText.create.hint}
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
          <Button size="small" look="primary" isPending={create.pending} onPress={create.perform}>
            {create.pending ? flowText.create.submitting : flowText.create.submit}
          </Button>
        }
      />
    </Page>
  );
}
