// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallName } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import { phaseSpans } from '#renderer/runs/phase-spans.ts';
import { text } from '#renderer/text/text.ts';
import { aDecision, aHandlerRun, aMutation, anEvent, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

const inputsOf = (host: FakeHost, name: CallName) =>
  host.asked.filter((asked) => asked.name === name).map(({ input }) => input);

const showRun = async (more: Partial<HandlerRunDetail> = {}) => {
  const host = new FakeHost();
  host.handlerRuns = [aHandlerRun('run 1', more)];
  showApp(host, '/runs/run%201');
  await screen.findByRole('heading', { level: 1, name: 'Pay run 1' });
  return host;
};

describe('the run page', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('shows the phases in order with their durations', async () => {
    await showRun();
    const phases = screen.getByRole('heading', { name: text.run.phases }).closest('section');
    const lines = [...(phases?.querySelectorAll('li:not([aria-hidden])') ?? [])].map(
      (line) => line.textContent,
    );
    expect(lines.slice(0, -1)).toEqual([
      'Preparing100ms',
      'Prepared100ms',
      'Sending500ms',
      'Outcome saved100ms',
      'Publishing200ms',
    ]);
    expect(lines.at(-1)).toMatch(/^Committed/);
  });

  test('[UI-7] an unknown outcome is shown in words with a link to the inbox', async () => {
    await showRun({
      phase: 'suspended',
      reason: 'reconciliation',
      effect: 'indeterminate',
      endedAt: null,
      mutation: aMutation({ status: 'indeterminate', error: 'The reply was lost.' }),
    });
    expect(screen.getByText('Suspended', { selector: 'span.rounded-full' })).toBeTruthy();
    expect(screen.getByText('Outcome unknown')).toBeTruthy();
    expect(screen.getByText('The reply was lost.')).toBeTruthy();
    const link = screen.getByRole('link', { name: text.run.toInbox });
    expect(link.getAttribute('href')).toBe('/inbox');
  });

  test('[EN-14] a settled outcome shows as your decision, and a second send shows too', async () => {
    const host = await showRun({
      mutation: aMutation({ resolutions: [aDecision({ note: 'Seen on the statement.' })] }),
    });
    expect(screen.getByText('You decided that it went through.')).toBeTruthy();
    expect(screen.getByText('Seen on the statement.')).toBeTruthy();
    const sentAgain = [aDecision({ resolution: 'user_retry' })];
    host.handlerRuns = [aHandlerRun('run 1', { mutation: aMutation({ resolutions: sentAgain }) })];
    act(() => host.changed('mutations', [mutationId('run 1')]));
    expect(await screen.findByText(/it may have happened twice/)).toBeTruthy();
  });

  test('attempts link to each other', async () => {
    await showRun({
      phase: 'failed',
      error: 'The network was gone.',
      errorType: 'network',
      retryOf: 'run 0',
      retriedBy: 'run 2',
    });
    const hrefs = screen
      .getAllByRole('link', { name: /run run/ })
      .map((one) => one.getAttribute('href'));
    expect(new Set(hrefs)).toEqual(new Set(['/runs/run%200', '/runs/run%202']));
    expect(screen.getByText('The network was gone.')).toBeTruthy();
  });

  test.each<[HandlerRunDetail['phase'], boolean]>([
    ['pending', true],
    ['preparing', true],
    ['prepared', true],
    ['mutating', false],
    ['emitting', false],
    ['committed', false],
    ['failed', false],
  ])('[EN-18] a run that is %s can be canceled: %s', async (phase, can) => {
    const host = await showRun({ phase });
    const cancel = screen.queryByRole('button', { name: text.run.cancel });
    expect(cancel !== null).toBe(can);
    if (cancel === null) return;
    fireEvent.click(cancel);
    const submit = await screen.findByRole('button', { name: text.run.cancelSubmit });
    expect(inputsOf(host, 'handlerRuns.cancel')).toEqual([]);
    fireEvent.click(submit);
    fireEvent.click(submit);
    await waitFor(() => screen.getByRole('button', { name: text.run.canceling }));
    expect(inputsOf(host, 'handlerRuns.cancel')).toEqual([{ handlerRunId: 'run 1' }]);
  });

  test('[EN-29] the window says beforehand that a canceled run gives its events back', async () => {
    await showRun({
      phase: 'prepared',
      eventsIn: ['a', 'b', 'c'].map((id) => anEvent(id, { status: 'reserved' })),
    });
    fireEvent.click(screen.getByRole('button', { name: text.run.cancel }));
    expect(
      await screen.findByText(
        'Stops this run before its effect. Its 3 events wait again, and a new run takes them. To drop one, skip its input.',
      ),
    ).toBeTruthy();
  });

  test('[EN-18] [UI-6] a rerun needs a confirmation, and a lost reply doesn’t rerun twice', async () => {
    const host = await showRun({ eventsIn: [anEvent('in', { title: 'Invoice 7' })] });
    fireEvent.click(screen.getByRole('button', { name: 'Rerun… Invoice 7' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(text.rerun.warning)).toBeTruthy();
    expect(inputsOf(host, 'events.rerun')).toEqual([]);
    const submit = dialog.getByRole('button', { name: text.rerun.submit });
    const form = submit.closest('form') ?? submit;
    host.failures.set('events.rerun', new ApiError({ type: 'unreachable', message: 'No reply.' }));
    fireEvent.submit(form);
    await screen.findByText('No reply.');
    // The host did it although the reply was lost.
    host.failures.clear();
    const again = anEvent('in', { title: 'Invoice 7', status: 'pending', attempt: 2 });
    host.handlerRuns = [aHandlerRun('run 1', { eventsIn: [again] })];
    fireEvent.submit(form);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(inputsOf(host, 'events.rerun')).toEqual([{ eventId: 'in' }]);
  });

  test('a suspension is a waiting span, the current span has no end, and equal times keep phase order', () => {
    const spans = phaseSpans({
      handlerType: 'consumer',
      startedAt: 0,
      timeline: { suspended: 30, mutating: 20, prepared: 20 },
    });
    expect(spans.map(({ phase, from, to, isWait }) => [phase, from, to, isWait])).toEqual([
      ['preparing', 0, 20, false],
      ['prepared', 20, 20, false],
      ['mutating', 20, 30, false],
      ['suspended', 30, null, true],
    ]);
  });

  test('a run that was first stored when it failed still spans its whole time', () => {
    const timeline = { preparing: 67, failed: 67 };
    const spans = phaseSpans({ handlerType: 'consumer', startedAt: 0, timeline });
    expect(spans.map(({ phase, from, to }) => [phase, from, to])).toEqual([
      ['preparing', 0, 67],
      ['failed', 67, 67],
    ]);
    const waited = { pending: 5, preparing: 9, failed: 10 };
    const later = phaseSpans({ handlerType: 'consumer', startedAt: 0, timeline: waited });
    expect(later.map(({ from }) => from)).toEqual([5, 9, 10]);
  });
});
