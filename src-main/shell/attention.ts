// Watches the inbox and failed jobs, for the badge and for notifications. Does not import Electron.
import { readDesktopSettings } from '#main/api/views/desktop-settings.ts';
import type { Host } from '#main/host/host.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import type { CallName, CallOutput } from '#shared/api/contract.ts';
import { INBOX_TABLES } from '#shared/api/inbox.ts';
import {
  noticeOfItem,
  noticeOfJob,
  selectNewNotices,
  type AttentionNotice,
} from '#shared/attention.ts';

/** The keys of notices that were shown. */
const SHOWN_SETTING = 'notices_told';
/** Changes within this time are handled together. */
const DEBOUNCE_MS = 400;

export interface AttentionOptions {
  readonly show: (notice: AttentionNotice) => void;
  /** Called with the number of inbox items. */
  readonly onCount: (waiting: number) => void;
}

/** Returns a function that stops watching. */
export function watchAttention(host: Host, { show, onCount }: AttentionOptions): () => void {
  const jobIds = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isRefreshing = false;
  let isStopped = false;

  const call = async <Name extends CallName>(
    name: Name,
    input: object,
  ): Promise<CallOutput<Name> | null> => {
    const result = await host.dispatch(name, input);
    return result.ok ? (result.output as CallOutput<Name>) : null;
  };

  const refresh = async (): Promise<void> => {
    const changedJobs = [...jobIds];
    jobIds.clear();
    const inbox = await call('inbox.list', {});
    if (isStopped || inbox === null) return;
    onCount(inbox.items.length);
    const jobs = await Promise.all(changedJobs.map((jobId) => call('jobs.get', { jobId })));
    if (isStopped) return;
    const ofJobs = jobs.map((job) => (job ? noticeOfJob(job) : null));
    notify([...inbox.items.map(noticeOfItem), ...ofJobs.filter((notice) => notice !== null)]);
  };

  const notify = (notices: readonly AttentionNotice[]): void => {
    const { settings } = host.stores;
    const stored = settings.get(SHOWN_SETTING);
    const shownKeys = Array.isArray(stored) ? stored.map(String) : [];
    const next = selectNewNotices(notices, shownKeys);
    if (next.show.length === 0) return;
    // Stored before it is shown. A crash in between loses a notification, but not the inbox item.
    settings.set(SHOWN_SETTING, [...next.shownKeys]);
    if (!readDesktopSettings(settings).notifications) return;
    for (const notice of next.show) show(notice);
  };

  const scheduleRefresh = (): void => {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isRefreshing) return scheduleRefresh();
      isRefreshing = true;
      refresh()
        .catch((error: unknown) => host.log.error({ err: error }, 'could not read the inbox'))
        .finally(() => {
          isRefreshing = false;
        });
      return undefined;
    }, DEBOUNCE_MS);
  };

  const onMessage = (message: FeedMessage): void => {
    if (message.type !== 'changes') return scheduleRefresh();
    for (const { table, ids } of message.changes) {
      if (table === 'runner_jobs' && ids !== 'many') {
        for (const id of ids) jobIds.add(id);
      }
      if (table === 'runner_jobs' || INBOX_TABLES.includes(table)) scheduleRefresh();
    }
    return undefined;
  };

  const unsubscribe = host.feed.subscribe(onMessage);
  scheduleRefresh();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    unsubscribe();
  };
}
