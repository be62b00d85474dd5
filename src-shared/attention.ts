// Desktop notifications: items that need a person, and failed jobs. Each is shown once.
import type { InboxItem } from '#shared/api/inbox.ts';
import { describeLeftBehind } from '#shared/left-behind.ts';
import type { WaitView } from '#shared/api/wait-view.ts';
import type { RunnerJobView } from '#shared/api/runner.ts';

export interface AttentionNotice {
  /** Deduplicates notifications. */
  readonly key: string;
  readonly title: string;
  readonly body: string;
  /** Where a click goes, within the app. */
  readonly path: string;
}

/** More than this at once are combined into one notification. */
const FEW = 3;
/** How many shown keys are remembered. */
export const REMEMBERED_NOTICES = 500;

/** Each reminder of an item notifies again. */
export function noticeOfItem(item: InboxItem): AttentionNotice {
  const notice = firstNoticeOfItem(item);
  const wait = 'wait' in item ? item.wait : null;
  if (wait === null || wait.reminders === 0) return notice;
  return {
    ...notice,
    key: `${notice.key}:reminder:${wait.reminders}`,
    title: `Reminder: ${notice.title}`,
    body: `${notice.body} ${describeWaitEnd(wait)}`,
  };
}

/** With the date in the form that reads the same everywhere. */
export function describeWaitEnd({ endsAt, otherwise }: WaitView): string {
  const day = new Date(endsAt).toISOString().slice(0, 10);
  return `Its input ends as ${otherwise.replace('_', ' ')} on ${day} if nobody acts.`;
}

function firstNoticeOfItem(item: InboxItem): AttentionNotice {
  const path = '/inbox';
  switch (item.type) {
    case 'unknown_effect': {
      // An outcome that is unknown again after a decision notifies again.
      const { id, resolutions } = item.mutation;
      const what = item.title ?? item.handlerName;
      return {
        key: `effect:${id}:${resolutions.length}`,
        title: 'Did it go through?',
        body: `${what}: no reply confirmed the outcome. ${item.workflowName} waits for you.`,
        path,
      };
    }
    case 'question':
      return {
        key: `question:${item.mutationId}`,
        title: `${item.workflowName} has a question`,
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
        title: `${item.workflowName} set an event aside`,
        body: `“${item.title}”: ${item.error ?? 'It failed too often.'}`,
        path,
      };
    case 'stopped':
      return {
        key: `stopped:${item.workflowId}:${item.at}`,
        title: `${item.workflowName} stopped itself`,
        body: item.reason,
        path,
      };
    case 'left_behind':
      return {
        key: `left:${item.workflowId}:${item.left.type === 'events' ? item.left.topic : item.left.handler}`,
        title: `${item.workflowName} left something behind`,
        body: describeLeftBehind(item.left, 'the active version'),
        path,
      };
    case 'refused_row':
      return {
        key: `refused:${item.refusedId}`,
        title: item.isHeld ? `${item.workflowName} is held` : 'A row can’t be read',
        body: item.summary,
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

/** Only jobs that a person started: a workflow reports its own failures. */
export function noticeOfJob(job: RunnerJobView): AttentionNotice | null {
  const hasFailed = job.status === 'failed' || job.status === 'timed_out';
  if (!hasFailed || job.requestedBy !== 'person') return null;
  const how = job.status === 'timed_out' ? 'timed out' : 'failed';
  const exit = job.exitCode === null ? '' : ` Exit code ${job.exitCode}.`;
  return {
    key: `job:${job.id}`,
    title: `${job.scriptKey} ${how}`,
    body: `In ${job.repoKey}.${exit}`,
    path: `/jobs/${encodeURIComponent(job.id)}`,
  };
}

export interface NewNotices {
  readonly show: readonly AttentionNotice[];
  /** Save this before showing anything, so that a crash can't repeat a notification. */
  readonly shownKeys: readonly string[];
}

export function selectNewNotices(
  notices: readonly AttentionNotice[],
  shownKeys: readonly string[],
): NewNotices {
  const known = new Set(shownKeys);
  const fresh = notices.filter(({ key }) => !known.has(key));
  const all = [...shownKeys, ...fresh.map(({ key }) => key)].slice(-REMEMBERED_NOTICES);
  return { show: fresh.length > FEW ? [together(fresh)] : fresh, shownKeys: all };
}

function together(notices: readonly AttentionNotice[]): AttentionNotice {
  return {
    key: `together:${notices[0]?.key ?? ''}`,
    title: `${notices.length} items need you`,
    body: notices
      .slice(0, FEW)
      .map(({ title }) => title)
      .join(' · '),
    path: '/inbox',
  };
}
