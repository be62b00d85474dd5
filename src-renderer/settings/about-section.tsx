// Version numbers, for support.
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { text } from '#renderer/text/text.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = text.settings.about;

export function AboutSection() {
  const versions = useLiveCall('host.versions', {});
  const info = useLiveCall('host.info', {});
  const error = versions.error ?? info.error;
  if (versions.answer === null || info.answer === null) {
    return error ? <Failure error={error} /> : <PageSkeleton label={TEXT.loading} />;
  }
  const { holdfast, schema, node, electron, chromium, sqlite, crsqlite, platform } =
    versions.answer;
  const { deviceId, spaceId } = info.answer;
  return (
    <>
      <Failure error={error} />
      <Panel title={`${TEXT.holdfast} ${holdfast}`}>
        <Facts isSingleColumn>
          <Fact name={TEXT.schema}>{schema}</Fact>
          <Fact name={TEXT.node}>{node}</Fact>
          <Fact name={TEXT.electron}>{electron ?? TEXT.noWindow}</Fact>
          {chromium === null ? null : <Fact name={TEXT.chromium}>{chromium}</Fact>}
          <Fact name={TEXT.sqlite}>{sqlite}</Fact>
          <Fact name={TEXT.crsqlite}>{crsqlite}</Fact>
          <Fact name={TEXT.platform}>{platform}</Fact>
          <Fact name={TEXT.device}>
            <code className="font-mono text-xs select-all">{deviceId}</code>
          </Fact>
          <Fact name={TEXT.space}>
            <code className="font-mono text-xs select-all">{spaceId}</code>
          </Fact>
        </Facts>
      </Panel>
      <CopyButton
        size="small"
        content={JSON.stringify({ ...versions.answer, deviceId, spaceId }, null, 2)}
        label={TEXT.copy}
        copiedLabel={TEXT.copied}
      />
    </>
  );
}
