// Follows what waits for a person, for the badge and for notices. Knows nothing of Electron.
import { readDesktopChoices } from '#main/api/views/desktop-settings.ts';
import type { Host } from '#main/host/host.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import type { CallName, CallOutput } from '#shared/api/contract.ts';
import { INBOX_TABLES } from '#shared/api/inbox.ts';
import { noticeOfItem, noticeOfJob, tellOnce, type AttentionNotice } from '#shared/attention.ts';

const TOLD_SETTING = 'notices_told';
/** What comes together is told together. */
const GATHER_MS = 400;

export interface AttentionOptions {
  readonly show: (notice: AttentionNotice) => void;
  /** How many things wait. */
  readonly onCount: (waiting: number) => void;
}

/** Returns what ends it. */
export function watchAttention(host: Host, { show, onCount }: AttentionOptions): () => void {
  const jobIds = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStopped = false;

  const call = async <Name extends CallName>(
    name: Name,
    input: object,
  ): Promise<CallOutput<Name> | null> => {
    const result = await host.dispatch(name, input);
    return result.ok ? (result.output as CallOutput<Name>) : null;
  };

  const look = async (): Promise<void> => {
    const ended = [...jobIds];
    jobIds.clear();
    const inbox = await call('inbox.list', {});
    if (isStopped || inbox === null) return;
    onCount(inbox.items.length);
    const jobs = await Promise.all(ended.map((jobId) => call('jobs.get', { jobId })));
    if (isStopped) return;
    const ofJobs = jobs.map((job) => (job ? noticeOfJob(job) : null));
    tell([...inbox.items.map(noticeOfItem), ...ofJobs.filter((notice) => notice !== null)]);
  };

  const tell = (notices: readonly AttentionNotice[]): void => {
    const { settings } = host.stores;
    const before = settings.get(TOLD_SETTING);
    const told = Array.isArray(before) ? before.map(String) : [];
    const telling = tellOnce(notices, told);
    if (telling.show.length === 0) return;
    // First kept, then shown: after a crash in between it is not shown, but it is in the inbox.
    settings.set(TOLD_SETTING, [...telling.told]);
    if (!readDesktopChoices(settings).notifications) return;
    for (const notice of telling.show) show(notice);
  };

  const lookSoon = (): void => {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isLooking) return lookSoon();
      isLooking = true;
      look()
        .catch((error: unknown) => host.log.error({ err: error }, 'what waits was not looked at'))
        .finally(() => {
          isLooking = false;
        });
      return undefined;
    }, GATHER_MS);
  };

  const hear = (message: FeedMessage): void => {
    if (message.type !== 'changes') return lookSoon();
    for (const { table, ids } of message.changes) {
      if (table === 'runner_jobs' && ids !== 'many') {
        for (const id of ids) jobIds.add(id);
      }
      if (table === 'runner_jobs' || INBOX_TABLES.includes(table)) lookSoon();
    }
    return undefined;
  };

  const unsubscribe = host.feed.subscribe(hear);
  lookSoon();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    unsubscribe();
  };
}
