// A workflow whose file is on another device: read it and dry-run it.
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { Workbench } from '#renderer/editor/workbench.tsx';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { useDevices } from '#renderer/workflows/device-names.ts';
import { useAnswer } from '#renderer/use-answer.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly fileName: string;
}

export function ReadOnly({ workflow, fileName }: Props) {
  const devices = useDevices();
  const { scriptId } = workflow;
  const { answer, error } = useAnswer(
    async (client) =>
      scriptId === null ? null : await client.call('workflows.version', { scriptId }),
    {},
    [scriptId],
  );
  const device = devices.name(answer?.deviceId ?? workflow.owner.deviceId);
  return (
    <>
      <Notice tone="plain">
        <p>{flowText.editor.elsewhere(device)}</p>
      </Notice>
      <Failure error={error} />
      {answer === null ? (
        error === null && scriptId !== null ? (
          <PageSkeleton label={flowText.editor.loading} />
        ) : null
      ) : (
        <Scratch key={answer.id} fileName={fileName} source={answer.source} />
      )}
    </>
  );
}

/** Edits here are used only for dry runs. */
function Scratch({ fileName, source }: { readonly fileName: string; readonly source: string }) {
  const [text, setText] = useState(source);
  return (
    <Workbench
      fileName={fileName}
      text={text}
      onType={setText}
      onSave={() => undefined}
      about={<span className="font-mono text-xs">{fileName}</span>}
      actions={null}
    />
  );
}
