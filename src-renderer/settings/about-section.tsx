// Version numbers, for support.
import { CopyButton } from '#renderer/copy-button.tsx';
import { text } from '#renderer/text/text.ts';
import { Fact, Facts, Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = text.settings.about;

export function AboutSection() {
  const versions = useCall('host.versions', {});
  const info = useCall('host.info', {});
  const error = versions.error ?? info.error;
  if (versions.answer === null || info.answer === null) {
    return error ? <Failure error={error} /> : <PageSkeleton label={WORDS.loading} />;
  }
  const { holdfast, schema, node, electron, chromium, sqlite, crsqlite, platform } =
    versions.answer;
  const { deviceId, spaceId } = info.answer;
  return (
    <>
      <Failure error={error} />
      <Panel title={`${WORDS.holdfast} ${holdfast}`}>
        <Facts oneColumn>
          <Fact name={WORDS.schema}>{schema}</Fact>
          <Fact name={WORDS.node}>{node}</Fact>
          <Fact name={WORDS.electron}>{electron ?? WORDS.noWindow}</Fact>
          {chromium === null ? null : <Fact name={WORDS.chromium}>{chromium}</Fact>}
          <Fact name={WORDS.sqlite}>{sqlite}</Fact>
          <Fact name={WORDS.crsqlite}>{crsqlite}</Fact>
          <Fact name={WORDS.platform}>{platform}</Fact>
          <Fact name={WORDS.device}>
            <code className="font-mono text-xs select-all">{deviceId}</code>
          </Fact>
          <Fact name={WORDS.space}>
            <code className="font-mono text-xs select-all">{spaceId}</code>
          </Fact>
        </Facts>
      </Panel>
      <CopyButton
        size="small"
        content={JSON.stringify({ ...versions.answer, deviceId, spaceId }, null, 2)}
        label={WORDS.copy}
        done={WORDS.copied}
      />
    </>
  );
}
