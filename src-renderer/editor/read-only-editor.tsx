// A workflow whose file is on another device: read it and dry-run it.
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { Workbench } from '#renderer/editor/workbench.tsx';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useDeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { useLiveQuery } from '#renderer/stores/use-live-query.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly fileName: string;
}

export function ReadOnlyEditor({ workflow, fileName }: Props) {
  const devices = useDeviceLabels();
  const { scriptId } = workflow;
  const { answer, error } = useLiveQuery(
    async (client) =>
      scriptId === null ? null : await client.call('workflows.version', { scriptId }),
    {},
    [scriptId],
  );
  const device = devices.labelOf(answer?.deviceId ?? workflow.owner.deviceId);
  return (
    <>
      <Notice tone="plain">
        <p>{workflowText.editor.elsewhere(device)}</p>
      </Notice>
      <Failure error={error} />
      {answer === null ? (
        error === null && scriptId !== null ? (
          <PageSkeleton label={workflowText.editor.loading} />
        ) : null
      ) : (
        <ScratchEditor key={answer.id} fileName={fileName} source={answer.source} />
      )}
    </>
  );
}

/** Edits here are used only for dry runs. */
function ScratchEditor({
  fileName,
  source,
}: {
  readonly fileName: string;
  readonly source: string;
}) {
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
