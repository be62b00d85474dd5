import type { RunnerJobView } from '#shared/api/runner.ts';
import { JOB_REASON_SENTENCES } from '#renderer/text/jobs-text.ts';
import { text } from '#renderer/text/text.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Labelled } from '#renderer/ui/layout/labelled.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { ExactTime, RunDuration } from '#renderer/ui/display/time.tsx';

export function JobDetails({ job }: { readonly job: RunnerJobView }) {
  const { reason, exitCode, exitSignal } = job;
  return (
    <Panel title={text.job.details}>
      <Facts>
        <Fact name={text.job.script}>{job.scriptKey}</Fact>
        <Fact name={text.job.repo}>{job.repoKey}</Fact>
        <Fact name={text.job.by}>{text.runScript.asker(job.requestedBy)}</Fact>
        <Fact name={text.job.queued}>
          <ExactTime at={job.createdAt} />
        </Fact>
        {job.startedAt === null ? null : (
          <Fact name={text.job.duration}>
            <RunDuration from={job.startedAt} to={job.finishedAt} />
          </Fact>
        )}
        {exitCode === null ? null : (
          <Fact name={text.job.exit}>
            {exitSignal === null ? exitCode : `${exitCode} (${exitSignal})`}
          </Fact>
        )}
        {reason === null ? null : (
          <Fact name={text.job.reason}>{JOB_REASON_SENTENCES[reason] ?? reason}</Fact>
        )}
        {job.logRemovedAt === null ? null : <Fact name={text.job.log}>{text.job.logRemoved}</Fact>}
        <Fact name={text.job.id}>
          <code className="font-mono text-xs select-all">{job.id}</code>
        </Fact>
      </Facts>
      {Object.keys(job.args).length === 0 ? null : (
        <Labelled name={text.job.args} className="mt-3">
          <JsonText label={text.job.args} value={job.args} />
        </Labelled>
      )}
    </Panel>
  );
}
