// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clockTime } from '#renderer/format/format-time.ts';
import { startCheckText } from '#renderer/text/start-check-text.ts';
import { aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

beforeEach(() => {
  window.location.href = 'http://127.0.0.1:4317/';
  giveElementsASize();
});
afterEach(cleanup);

const UNTIL = Date.now() + 5000;
const waitsFor = [
  { deviceId: 'd1', name: 'Laptop' },
  { deviceId: 'd2', name: 'Desk' },
];

test('[GB-6] the window says for which devices it waits, why and until when, and a person can skip the wait', async () => {
  const host = new FakeHost();
  host.workflows = [aWorkflow('a')];
  host.asking = { reason: 'unclean_stop', until: UNTIL, waitsFor };
  showApp(host, '/workflows');
  await screen.findByText(startCheckText.title);
  expect(screen.getByText(/didn’t stop cleanly. It asks Laptop and Desk/)).toBeTruthy();
  expect(screen.getByText(startCheckText.until(clockTime(UNTIL)))).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Continue now' }));
  await waitFor(() => expect(screen.queryByText(startCheckText.title)).toBe(null));
  expect(host.asked.map(({ name }) => name)).toContain('startCheck.goOn');
});

test('[GB-6] the notice appears when a peer has newer work of this device, and disappears when its rows are merged', async () => {
  const host = new FakeHost();
  host.workflows = [aWorkflow('a')];
  showApp(host, '/workflows');
  await waitFor(() => expect(host.asked.map(({ name }) => name)).toContain('startCheck.get'));
  expect(screen.queryByText(startCheckText.title)).toBe(null);
  host.asking = { reason: 'peer_knows_more', until: UNTIL, waitsFor: waitsFor.slice(0, 1) };
  host.changed('devices', ['start-check']);
  await screen.findByText(/merges it from Laptop/);
  host.asking = null;
  host.changed('devices', ['start-check']);
  await waitFor(() => expect(screen.queryByText(startCheckText.title)).toBe(null));
});
