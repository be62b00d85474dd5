// The artifacts of an input: open, save, attach.
import { useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import type { ArtifactView } from '#shared/api/artifacts.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { InputDetail } from '#shared/api/inputs.ts';
import { artifactName, isJsonType, mediaType } from '#shared/inputs/artifacts.ts';
import type { Json } from '#shared/json.ts';
import { MAX_ARTIFACT_BYTES } from '#shared/limits.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { saveFile, textOf, toBase64 } from '#renderer/inputs/artifact-content.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { href } from '#renderer/navigation/router.ts';
import { ExactTime } from '#renderer/ui/display/time.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { parseExactJson } from '#shared/exact-json.ts';

const TEXT = inputsText.artifacts;

export function InputArtifacts({ input }: { readonly input: InputDetail }) {
  const { answer, error, refresh } = useLiveCall('artifacts.list', { inputId: input.id }, () => ({
    automation_runs: [input.run.id],
  }));
  const artifacts = answer?.artifacts ?? [];
  return (
    <Panel title={TEXT.title}>
      <div className="grid gap-3 text-[0.8125rem]">
        <p className="text-muted">{artifacts.length === 0 ? TEXT.none : TEXT.hint}</p>
        {artifacts.length === 0 ? null : (
          <ul className="grid gap-2.5">
            {artifacts.map((artifact) => (
              <ArtifactRow key={artifact.id} inputId={input.id} artifact={artifact} />
            ))}
          </ul>
        )}
        <AttachFile inputId={input.id} onDone={refresh} />
        <Failure error={error} onRetry={refresh} />
      </div>
    </Panel>
  );
}

interface RowProps {
  readonly inputId: string;
  readonly artifact: ArtifactView;
}

function ArtifactRow({ inputId, artifact }: RowProps) {
  const { client } = useApp();
  const [content, setContent] = useState<string | null>(null);
  const { id, name, type, isHere, deviceName } = artifact;
  const read = async (): Promise<string> => {
    const answer = await client.call('artifacts.read', { inputId, artifactId: id });
    if (answer.type === 'content') return answer.base64;
    throw new ApiError({ type: 'unreachable', message: answer.message });
  };
  const open = useIdempotentAction({ idFor: 'click', action: read, onDone: setContent });
  const save = useIdempotentAction({
    idFor: 'click',
    action: read,
    onDone: (base64) => saveFile(name, base64),
  });
  const subject = <span className="sr-only"> {TEXT.subject(name)}</span>;
  return (
    <li className="grid gap-1.5">
      <div className="flex items-start justify-between gap-3">
        <span className="grid min-w-0 wrap-anywhere">
          <bdi className="font-medium">{name}</bdi>
          <span className="text-muted">
            {type}
            {artifact.bytes === null ? '' : ` · ${bytes(artifact.bytes)}`} ·{' '}
            <MadeBy artifact={artifact} /> · <ExactTime at={artifact.createdAt} />
            {isHere ? '' : ` · ${TEXT.elsewhere(deviceName)}`}
          </span>
        </span>
        <span className="flex shrink-0 gap-1">
          {content === null ? (
            <Button size="small" isPending={open.isPending} onPress={open.perform}>
              {open.isPending ? TEXT.opening : TEXT.open}
              {subject}
            </Button>
          ) : (
            <Button size="small" onPress={() => setContent(null)}>
              {TEXT.close}
              {subject}
            </Button>
          )}
          <Button size="small" isPending={save.isPending} onPress={save.perform}>
            {save.isPending ? TEXT.saving : TEXT.save}
            {subject}
          </Button>
        </span>
      </div>
      {content === null ? null : <Content artifact={artifact} base64={content} />}
      <Failure error={open.error ?? save.error} />
    </li>
  );
}

function MadeBy({
  artifact: { maker, handlerName, runId, deviceName },
}: Pick<RowProps, 'artifact'>) {
  if (maker === 'stage') return TEXT.byHoldfast;
  if (maker === 'person') return TEXT.byPerson(deviceName);
  const words = TEXT.byHandler(handlerName ?? '');
  return runId === null ? words : <TextLink to={href.run(runId)}>{words}</TextLink>;
}

interface ContentProps {
  readonly artifact: ArtifactView;
  readonly base64: string;
}

function Content({ artifact: { name, type }, base64 }: ContentProps) {
  const text = textOf(base64);
  if (text === null) return <p className="text-muted">{TEXT.binary}</p>;
  const json = isJsonType(type) ? parseJson(text) : undefined;
  if (json !== undefined) return <JsonText label={TEXT.contentOf(name)} value={json} />;
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
      tabIndex={0}
      role="group"
      aria-label={TEXT.contentOf(name)}
      className="max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}

/** Undefined if it is not JSON; the text is shown then. */
function parseJson(text: string): Json | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

interface AttachProps {
  readonly inputId: string;
  readonly onDone: () => void;
}

function AttachFile({ inputId, onDone }: AttachProps) {
  const { client } = useApp();
  const chosen = useRef<File | null>(null);
  const attach = useIdempotentAction({
    idFor: 'click',
    action: async (requestId) => {
      const file = checked(chosen.current);
      const type = mediaType.safeParse(file.type);
      return client.call('artifacts.attach', {
        requestId,
        inputId,
        name: file.name,
        base64: await toBase64(file),
        ...(type.success ? { type: type.data } : {}),
      });
    },
    onDone: ({ artifact }) => {
      showToast({ text: TEXT.attached(artifact.name) });
      onDone();
    },
  });
  return (
    <div className="grid gap-2">
      <FileTrigger
        onSelect={(files) => {
          chosen.current = files?.[0] ?? null;
          if (chosen.current !== null) attach.perform();
        }}
      >
        <Button size="small" isPending={attach.isPending} className="justify-self-start">
          {attach.isPending ? TEXT.attaching : TEXT.attach}
        </Button>
      </FileTrigger>
      <Failure error={attach.error} />
    </div>
  );
}

/** Throws `ApiError` for a file that the host would refuse. */
function checked(file: File | null): File {
  if (file !== null && file.size > MAX_ARTIFACT_BYTES) {
    const message = TEXT.tooLarge(file.name, bytes(file.size), bytes(MAX_ARTIFACT_BYTES));
    throw new ApiError({ type: 'too_large', message });
  }
  if (file !== null && artifactName.safeParse(file.name).success) return file;
  throw new ApiError({ type: 'invalid_input', message: TEXT.badName(file?.name ?? '') });
}
