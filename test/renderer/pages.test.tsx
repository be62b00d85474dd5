// @vitest-environment happy-dom
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WorkflowView } from '#shared/api/contract.ts';
import { inboxItemSchema } from '#shared/api/inbox.ts';
import { PHASES } from '#shared/machines/handler-run.ts';
import { MUTATION_STATUSES } from '#shared/machines/mutation.ts';
import { SCRIPT_RUN_STATUSES } from '#shared/session-enums.ts';
import { SNAPSHOT_STATUSES } from '#shared/run-log.ts';
import { clockTime } from '#renderer/format/format-time.ts';
import {
  EFFECT_LABELS,
  INBOX_LABELS,
  PHASE_LABELS,
  SESSION_LABELS,
  WORKFLOW_LABELS,
  WORKFLOW_STATES,
} from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import {
  EffectChip,
  InboxChip,
  PhaseChip,
  SessionChip,
  WorkflowChip,
} from '#renderer/ui/display/status-chip.tsx';
import { aRecord, aRun, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

describe('the pages', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  const statuses = [...new Set([...SCRIPT_RUN_STATUSES, ...SNAPSHOT_STATUSES])];
  const shows = (chip: ReactElement, word: string) => ({ chip, word });
  const kinds = inboxItemSchema.options.map(({ shape }) => shape.type.value);
  test.each([
    ['session', statuses.map((one) => shows(<SessionChip status={one} />, SESSION_LABELS[one]))],
    [
      'workflow',
      WORKFLOW_STATES.map((one) => shows(<WorkflowChip status={one} />, WORKFLOW_LABELS[one])),
    ],
    ['run', PHASES.map((one) => shows(<PhaseChip status={one} />, PHASE_LABELS[one]))],
    [
      'effect',
      MUTATION_STATUSES.map((one) => shows(<EffectChip status={one} />, EFFECT_LABELS[one])),
    ],
    ['inbox item', kinds.map((one) => shows(<InboxChip status={one} />, INBOX_LABELS[one]))],
  ])('[UI-7] every status of a %s has its own word and icon', (_, chips) => {
    const icons = chips.map(({ chip, word }) => {
      const { container } = render(chip);
      expect(container.textContent).toBe(word);
      const icon = container.querySelector('svg');
      expect(icon?.getAttribute('aria-hidden')).toBe('true');
      return icon?.innerHTML;
    });
    expect(new Set(icons).size).toBe(chips.length);
    expect(new Set(chips.map(({ word }) => word)).size).toBe(chips.length);
  });

  test('[UI-3] when the host is gone, the page stays and a banner shows since when', async () => {
    const since = Date.UTC(2026, 0, 5, 14, 3);
    const host = new FakeHost(() => since);
    host.workflows = [aWorkflow('a', { name: 'Invoices' })];
    showApp(host, '/workflows');
    act(() => host.connection('open'));
    await screen.findByRole('link', { name: 'Invoices' });
    expect(screen.queryByText(/Disconnected/)).toBeNull();
    act(() => host.connection('closed'));
    expect(screen.getByText(text.gone.since(clockTime(since)))).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Invoices' })).toBeTruthy();
    act(() => host.connection('connecting'));
    expect(screen.getByText(text.gone.since(clockTime(since)))).toBeTruthy();
    act(() => host.connection('open'));
    expect(screen.queryByText(text.gone.since(clockTime(since)))).toBeNull();
  });

  test('[UI-1] a new record appears on the session page when the feed names the session', async () => {
    const host = new FakeHost();
    host.runs = [aRun('run 1')];
    host.events = [aRecord(1, { eventType: 'first.thing' })];
    showApp(host, '/sessions/run%201');
    // In the log itself, not only in the summary.
    const inLog = () => within(screen.getByRole('group', { name: text.log.title }));
    await waitFor(() => inLog().getByText('first.thing'));
    host.events = [...host.events, aRecord(2, { eventType: 'second.thing' })];
    act(() => host.changed('run_events', ['run 1']));
    await waitFor(() => inLog().getByText('second.thing'));
    expect(screen.getByText(text.log.records(2))).toBeTruthy();
  });

  test('[HR-10] the session page shows how many runs the session has had, and follows the number', async () => {
    const host = new FakeHost();
    host.runs = [aRun('run 1', { handlerRunCount: 1200 })];
    showApp(host, '/sessions/run%201');
    const shown = () =>
      screen.getByText(text.session.runCount, { selector: 'dt' }).nextElementSibling?.textContent;
    await waitFor(() => expect(shown()).toBe('1,200'));
    host.runs = [aRun('run 1', { handlerRunCount: 1201 })];
    act(() => host.changed('script_runs', ['run 1']));
    await waitFor(() => expect(shown()).toBe('1,201'));
  });

  test('an empty host explains workflows and offers to add one', async () => {
    showApp(new FakeHost(), '/workflows');
    expect(await screen.findByText(text.workflows.emptyTitle)).toBeTruthy();
    expect(screen.getByRole('button', { name: text.workflows.add })).toBeTruthy();
  });

  test.each([
    ['/runs/nothing', text.run.notFoundHint],
    ['/sessions/nothing', text.session.notFoundHint],
  ])('a missing id shows a hint: %s', async (path, hint) => {
    showApp(new FakeHost(), path);
    expect(await screen.findByText(hint)).toBeTruthy();
  });

  test('a list of 100,000 sessions renders fewer than 60 rows', async () => {
    const host = new FakeHost();
    host.runs = Array.from({ length: 100_000 }, (_, index) => aRun(`run ${index}`));
    showApp(host, '/sessions');
    await waitFor(() => expect(screen.getAllByRole('row').length).toBeGreaterThan(5));
    expect(screen.getAllByRole('row').length).toBeLessThan(60);
  });

  test.each<[Partial<WorkflowView>, string]>([
    [{}, 'Active'],
    [{ isBusy: true }, 'Running'],
    [{ openQuestions: 2 }, 'Waiting for you'],
    [{ status: 'paused', isBusy: true }, 'Pausing'],
    [{ status: 'paused', openQuestions: 1 }, 'Paused'],
  ])('[UI-7] a workflow with %o shows as %s', async (more, word) => {
    const host = new FakeHost();
    host.workflows = [aWorkflow('a', more)];
    showApp(host, '/workflows');
    expect(await screen.findByText(word)).toBeTruthy();
    const waits = screen.queryByRole('link', { name: /^\d items? needs? you$/ });
    expect(waits?.getAttribute('href') ?? null).toBe(more.openQuestions ? '/inbox' : null);
  });

  test('a workflow shows its schedule, its next run and its pending events', async () => {
    const host = new FakeHost();
    const soon = Date.now() + 30 * 60_000 + 5_000;
    host.workflows = [
      aWorkflow('a', {
        producers: [
          { name: 'fetch', schedule: { every: '1h' }, nextRunAt: soon },
          { name: 'sweep', schedule: { cron: '0 9 * * *', timezone: 'UTC' }, nextRunAt: null },
        ],
        topics: [{ name: 'invoice', pending: 1000 }],
      }),
    ];
    showApp(host, '/workflows');
    expect(await screen.findByText('in 30 min.')).toBeTruthy();
    for (const said of ['Every hour', 'At 09:00 (UTC)', text.workflows.notScheduled, '1,000+']) {
      expect(screen.getByText(said)).toBeTruthy();
    }
  });
});
