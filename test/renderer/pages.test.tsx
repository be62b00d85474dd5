// @vitest-environment happy-dom
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SCRIPT_RUN_STATUSES } from '#shared/machines/script-run.ts';
import { SNAPSHOT_STATUSES } from '#shared/run-log.ts';
import { clockTime } from '#renderer/format-time.ts';
import { STATUS_WORDS, text, WORKFLOW_STATUS_WORDS } from '#renderer/text.ts';
import { StatusChip, WorkflowStatusChip } from '#renderer/ui/status-chip.tsx';
import { aRecord, aRun, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

describe('the pages', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('[UI-7] every status of a run has a word and an icon of its own', () => {
    const statuses = [...new Set([...SCRIPT_RUN_STATUSES, ...SNAPSHOT_STATUSES])];
    const icons = statuses.map((status) => {
      const { container } = render(<StatusChip status={status} />);
      expect(container.textContent).toBe(STATUS_WORDS[status]);
      const icon = container.querySelector('svg');
      expect(icon?.getAttribute('aria-hidden')).toBe('true');
      return icon?.innerHTML;
    });
    expect(new Set(icons).size).toBe(statuses.length);
    expect(new Set(statuses.map((status) => STATUS_WORDS[status])).size).toBe(statuses.length);
  });

  test.each(['active', 'paused'] as const)('[UI-7] so has a workflow that is %s', (status) => {
    const { container } = render(<WorkflowStatusChip status={status} />);
    expect(container.textContent).toBe(WORKFLOW_STATUS_WORDS[status]);
    expect(container.querySelector('svg')).not.toBeNull();
  });

  test('[UI-3] host gone: what is shown stays, and a banner says since when', async () => {
    const since = Date.UTC(2026, 0, 5, 14, 3);
    const host = new FakeHost(() => since);
    host.workflows = [aWorkflow('a', { name: 'Invoices' })];
    showApp(host, '/workflows');
    act(() => host.connection('open'));
    await screen.findByText('Invoices');
    expect(screen.queryByText(/Host gone/)).toBeNull();
    act(() => host.connection('closed'));
    expect(screen.getByText(text.gone.since(clockTime(since)))).toBeTruthy();
    expect(screen.getByText('Invoices')).toBeTruthy();
    act(() => host.connection('connecting'));
    expect(screen.getByText(text.gone.since(clockTime(since)))).toBeTruthy();
    act(() => host.connection('open'));
    expect(screen.queryByText(text.gone.since(clockTime(since)))).toBeNull();
  });

  test('[UI-1] a new record appears on the run page when the feed names the run', async () => {
    const host = new FakeHost();
    host.runs = [aRun('run 1')];
    host.events = [aRecord(1, { eventType: 'first.thing' })];
    showApp(host, '/runs/run%201');
    // Not just in the summary beside it.
    const inLog = () => within(screen.getByRole('group', { name: text.log.title }));
    await waitFor(() => inLog().getByText('first.thing'));
    host.events = [...host.events, aRecord(2, { eventType: 'second.thing' })];
    act(() => host.changed('run_events', ['run 1']));
    await waitFor(() => inLog().getByText('second.thing'));
    expect(screen.getByText(text.log.records(2))).toBeTruthy();
  });

  test('an empty host teaches and offers the first step', async () => {
    showApp(new FakeHost(), '/workflows');
    expect(await screen.findByText(text.workflows.emptyTitle)).toBeTruthy();
    expect(screen.getByRole('button', { name: text.workflows.create })).toBeTruthy();
  });

  test('a run that is not there is said so', async () => {
    showApp(new FakeHost(), '/runs/nothing');
    expect(await screen.findByText(text.run.notFoundHint)).toBeTruthy();
  });

  test('a list of 100,000 runs has only the rows near the reader in the document', async () => {
    const host = new FakeHost();
    host.runs = Array.from({ length: 100_000 }, (_, index) => aRun(`run ${index}`));
    showApp(host, '/runs');
    await waitFor(() => expect(screen.getAllByRole('row').length).toBeGreaterThan(5));
    expect(screen.getAllByRole('row').length).toBeLessThan(60);
  });
});
