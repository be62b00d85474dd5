// What a person is told of by the desktop: what waits for them, and what failed. Nothing else, and
// each thing once.
import type { InboxItem } from '#shared/api/inbox.ts';
import type { RunnerJobView } from '#shared/api/runner.ts';

export interface AttentionNotice {
  /** The same one is never told twice. */
  readonly key: string;
  readonly title: string;
  readonly body: string;
  /** Where a click goes, within the app. */
  readonly path: string;
}

/** More at once are told as one. */
const FEW = 3;
/** Of what was told, so much is remembered. */
export const REMEMBERED_NOTICES = 500;

export function noticeOfItem(item: InboxItem): AttentionNotice {
  const path = '/inbox';
  switch (item.type) {
    case 'unknown_effect': {
      // Decided and unknown again is another question than before.
      const { id, resolutions } = item.mutation;
      const what = item.title ?? item.handlerName;
      return {
        key: `effect:${id}:${resolutions.length}`,
        title: 'Did it happen?',
        body: `${what}: no answer came that proves it. ${item.workflowName} waits for you.`,
        path,
      };
    }
    case 'question':
      return {
        key: `question:${item.mutationId}`,
        title: `${item.workflowName} asks`,
        body: item.question,
        path,
      };
    case 'approval':
      return {
        key: `approval:${item.handlerRunId}`,
        title: `${item.workflowName} needs permission`,
        body: item.error,
        path,
      };
    case 'set_aside':
      return {
        key: `set-aside:${item.eventId}:${item.at}`,
        title: `${item.workflowName} set something aside`,
        body: `“${item.title}” failed too often.`,
        path,
      };
    case 'stopped':
      return {
        key: `stopped:${item.workflowId}:${item.at}`,
        title: `${item.workflowName} stopped itself`,
        body: item.reason,
        path,
      };
    case 'incident':
      return {
        key: `incident:${item.incidentId}`,
        title: 'Two devices acted',
        body: item.summary,
        path,
      };
  }
}

/** Only of jobs that a person started: what a workflow ran is the workflow's to tell. */
export function noticeOfJob(job: RunnerJobView): AttentionNotice | null {
  const hasFailed = job.status === 'failed' || job.status === 'timed_out';
  if (!hasFailed || job.requestedBy !== 'person') return null;
  const how = job.status === 'timed_out' ? 'took too long' : 'failed';
  const exit = job.exitCode === null ? '' : ` Exit code ${job.exitCode}.`;
  return {
    key: `job:${job.id}`,
    title: `${job.scriptKey} ${how}`,
    body: `In ${job.repoKey}.${exit}`,
    path: `/jobs/${encodeURIComponent(job.id)}`,
  };
}

export interface Telling {
  readonly show: readonly AttentionNotice[];
  /** What has been told from now on; to be kept before anything is shown. */
  readonly told: readonly string[];
}

export function tellOnce(notices: readonly AttentionNotice[], told: readonly string[]): Telling {
  const known = new Set(told);
  const fresh = notices.filter(({ key }) => !known.has(key));
  const all = [...told, ...fresh.map(({ key }) => key)].slice(-REMEMBERED_NOTICES);
  return { show: fresh.length > FEW ? [together(fresh)] : fresh, told: all };
}

function together(notices: readonly AttentionNotice[]): AttentionNotice {
  return {
    key: `together:${notices[0]?.key ?? ''}`,
    title: `${notices.length} things need you`,
    body: notices
      .slice(0, FEW)
      .map(({ title }) => title)
      .join(' · '),
    path: '/inbox',
  };
}
