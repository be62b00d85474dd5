// @vitest-environment happy-dom
// A chart of the metrics page, read by pointer, by keyboard and as a table.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Chart } from '#renderer/metrics/chart.tsx';
import { lastHour, MINUTE_COUNT } from '#renderer/metrics/last-hour.ts';

afterEach(cleanup);

/** One run in the last minute. */
function showChart(): HTMLElement {
  const at = Date.UTC(2026, 0, 1, 12, 0, 30);
  const step = { p50Ms: 1, p95Ms: 1, queueDepth: 0, oldestAgeMs: 0, failed: 0 };
  const minutes = lastHour({ at, since: 0, runs: [{ ...step, at, done: 7 }] });
  const series = {
    name: 'Ended',
    valueIn: ({ done }: (typeof minutes)[number]) => done,
    colour: '',
    shape: 'bars' as const,
  };
  render(
    <Chart
      title="Runs"
      hint=""
      minutes={minutes}
      series={[series]}
      format={String}
      describe={({ done }) => `${done} runs`}
    />,
  );
  const plot = screen.getByRole('slider');
  plot.getBoundingClientRect = () => new DOMRect(100, 0, 10 * MINUTE_COUNT, 96);
  return plot;
}

test('[MP-2] the chart names the minute under the pointer, and none after the pointer has left', () => {
  const plot = showChart();
  const told = (): string | null =>
    screen.queryByText(/ · \d runs$/)?.textContent?.slice(-6) ?? null;
  expect(told()).toBeNull();
  for (const [x, text] of [
    [100 + 10 * MINUTE_COUNT - 1, '7 runs'],
    [100 + 10 * MINUTE_COUNT - 11, '0 runs'],
    [9000, '7 runs'],
    [0, '0 runs'],
  ] as const) {
    fireEvent.pointerMove(plot, { clientX: x });
    expect(told(), `at ${x}`).toBe(text);
  }
  fireEvent.pointerLeave(plot);
  expect(told()).toBeNull();
});

test('[MP-2] the keys move by a minute and to both ends, and the table has the minutes with a value', () => {
  const plot = showChart();
  const minuteAfter = (key: string): string | null => {
    fireEvent.keyDown(plot, { key });
    return plot.getAttribute('aria-valuenow');
  };
  const keys = ['ArrowRight', 'ArrowLeft', 'Home', 'ArrowDown', 'ArrowUp', 'End'];
  expect(keys.map(minuteAfter)).toEqual(['59', '58', '0', '0', '1', '59']);
  expect(plot.getAttribute('aria-valuetext')).toMatch(/ · 7 runs$/);
  fireEvent.click(screen.getByText('View as table'));
  const rows = within(screen.getByRole('table', { name: 'Runs by minute' })).getAllByRole('row');
  expect(rows.map(({ textContent }) => textContent?.slice(-1))).toEqual(['d', '7']);
});
