import { expect, test } from 'vitest';
import type { InboxItem } from '#shared/api/inbox.ts';
import {
  noticeOfItem,
  noticeOfJob,
  REMEMBERED_NOTICES,
  selectNewNotices,
  type AttentionNotice,
} from '#shared/attention.ts';

const about = { workflowId: 'w', workflowName: 'Payments', at: 5 };
const question = (mutationId: string): InboxItem => ({
  type: 'question',
  wait: null,
  ...about,
  handlerRunId: 'r',
  mutationId,
  question: 'Pay?',
  details: null,
  choices: [],
});
const notices = (count: number): AttentionNotice[] =>
  Array.from({ length: count }, (_, n) => noticeOfItem(question(`m${n}`)));

test('[SH-8] a notice is selected once, and a new one is still selected', () => {
  const first = selectNewNotices(notices(1), []);
  expect(first.show.map(({ body }) => body)).toEqual(['Pay?']);
  const second = selectNewNotices(notices(2), first.shownKeys);
  expect(second.show.map(({ key }) => key)).toEqual(['question:m1']);
  expect(selectNewNotices(notices(2), second.shownKeys).show).toEqual([]);
});

test('[SH-8] more than three notices are combined into one, and each counts as shown', () => {
  const { show, shownKeys } = selectNewNotices(notices(7), []);
  expect(show).toMatchObject([{ title: '7 items need you', path: '/inbox' }]);
  expect(shownKeys).toHaveLength(7);
  expect(selectNewNotices(notices(7), shownKeys).show).toEqual([]);
});

test('[AR-16] each reminder notifies once more, and says how the input ends', () => {
  const reminded = (reminders: number): AttentionNotice => {
    const wait = { endsAt: Date.UTC(2026, 1, 3), otherwise: 'timed_out', reminders } as const;
    return noticeOfItem({ ...question('m1'), wait } as InboxItem);
  };
  expect(reminded(0)).toEqual(noticeOfItem(question('m1')));
  const { shownKeys } = selectNewNotices([reminded(0)], []);
  const first = selectNewNotices([reminded(1)], shownKeys);
  expect(first.show).toMatchObject([
    {
      title: 'Reminder: Payments has a question',
      body: 'Pay? Its input ends as timed out on 2026-02-03 if nobody acts.',
    },
  ]);
  expect(selectNewNotices([reminded(1)], first.shownKeys).show).toEqual([]);
  expect(selectNewNotices([reminded(2)], first.shownKeys).show).toHaveLength(1);
});

test('[SH-8] the number of remembered keys is limited', () => {
  expect(selectNewNotices(notices(REMEMBERED_NOTICES + 50), []).shownKeys).toHaveLength(
    REMEMBERED_NOTICES,
  );
});

test('[SH-8] only failed and timed-out jobs that a person started have a notice', () => {
  const job = {
    id: 'j 1',
    repoKey: 'main',
    scriptKey: 'build',
    args: {},
    requestedBy: 'person',
    status: 'failed',
    reason: null,
    exitCode: 2,
    exitSignal: null,
    timeoutMs: 1,
    createdAt: 1,
    startedAt: 1,
    finishedAt: 2,
    logBytes: 0,
    logDroppedBytes: 0,
    logRemovedAt: null,
  } as const;
  expect(noticeOfJob(job)).toEqual({
    key: 'job:j 1',
    title: 'build failed',
    body: 'In main. Exit code 2.',
    path: '/jobs/j%201',
  });
  expect(noticeOfJob({ ...job, status: 'timed_out' })?.title).toBe('build timed out');
  expect(noticeOfJob({ ...job, status: 'succeeded' })).toBeNull();
  expect(noticeOfJob({ ...job, status: 'canceled' })).toBeNull();
  expect(noticeOfJob({ ...job, requestedBy: 'workflow:w' })).toBeNull();
});
