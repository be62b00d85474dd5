// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hostsText } from '#renderer/text/hosts-text.ts';
import { text } from '#renderer/text/text.ts';
import { clockTime } from '#renderer/format/format-time.ts';
import { aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

beforeEach(() => {
  window.location.href = 'http://127.0.0.1:4317/';
  giveElementsASize();
});
afterEach(cleanup);

const SOON = Date.now() + 600_000;
const EARLIER = Date.now() - 600_000;
const none = { perSecond: null, concurrent: null };

function type(label: string, value: string): void {
  fireEvent.change(screen.getByLabelText(new RegExp(`^${label}`)), { target: { value } });
}

test('[OH-6] a workflow says for which host it waits and until when', async () => {
  const host = new FakeHost();
  const waitsFor = [
    { handler: 'send', host: 'api.example.org', until: SOON, since: 1, isNetwork: false },
  ];
  host.workflows = [aWorkflow('a', { waitsFor })];
  showApp(host, '/workflows');
  await screen.findByText(`Waiting for api.example.org until ${clockTime(SOON)}.`);
});

const DOWN = { handler: 'send', host: 'api.example.org', until: null, since: EARLIER };

test('[OF-7] a workflow says that it waits for a host or for the network, and since when', async () => {
  const host = new FakeHost();
  host.workflows = [
    aWorkflow('a', { waitsFor: [{ ...DOWN, isNetwork: false }] }),
    aWorkflow('b', { waitsFor: [{ ...DOWN, isNetwork: true }] }),
  ];
  showApp(host, '/workflows');
  const since = clockTime(EARLIER);
  await screen.findByText(
    `Waiting for api.example.org, unreachable since ${since}. Retries automatically.`,
  );
  await screen.findByText(`Waiting for network since ${since}. Retries automatically.`);
  expect(screen.getAllByText('Waiting for a host').length).toBe(1);
  expect(screen.getAllByText('Waiting for network').length).toBe(1);
});

test('[OF-6] unreachable hosts are retried from the workflow and from the settings', async () => {
  const host = new FakeHost();
  host.workflows = [aWorkflow('a', { waitsFor: [{ ...DOWN, isNetwork: false }] })];
  host.hosts = [
    {
      host: 'api.example.org',
      limit: none,
      own: null,
      heldUntil: null,
      active: 0,
      waiting: 0,
      downSince: EARLIER,
    },
  ];
  const shown = showApp(host, '/workflows');
  fireEvent.click(await screen.findByRole('button', { name: hostsText.retry }));
  await waitFor(() => expect(host.takeAsked()).toContain('hosts.retry'));
  shown.unmount();
  showApp(host, '/settings/hosts');
  await screen.findByText(`Unreachable since ${clockTime(EARLIER)}`);
  fireEvent.click(await screen.findByRole('button', { name: hostsText.retry }));
  await waitFor(() => expect(host.takeAsked()).toContain('hosts.retry'));
});

test('[OH-6] [OH-9] the settings list hosts with their limits and waits', async () => {
  const host = new FakeHost();
  const idle = { active: 0, waiting: 0, heldUntil: null, downSince: null };
  host.hosts = [
    { ...idle, host: 'a.example', limit: { perSecond: 5, concurrent: 2 }, own: null },
    {
      host: 'b.example',
      limit: none,
      own: null,
      heldUntil: SOON,
      downSince: null,
      active: 1,
      waiting: 3,
    },
  ];
  showApp(host, '/settings/hosts');
  await screen.findByText('5 per second · 2 at a time · set by a workflow');
  expect(screen.getByText('No limit · 1 call under way · 3 waiting')).toBeTruthy();
  expect(screen.getByText(`Asked to wait until ${clockTime(SOON)}`)).toBeTruthy();
});

test('[OH-9] a limit is set in the settings; one without numbers is not sent', async () => {
  const host = new FakeHost();
  showApp(host, '/settings/hosts');
  fireEvent.click(await screen.findByRole('button', { name: hostsText.add }));
  const dialog = within(await screen.findByRole('dialog'));
  type(hostsText.host, 'API.example.org');
  fireEvent.click(dialog.getByRole('button', { name: hostsText.submit }));
  expect(host.takeAsked()).not.toContain('hosts.setLimit');
  type(hostsText.concurrent, '3');
  fireEvent.click(dialog.getByRole('button', { name: hostsText.submit }));
  await waitFor(() => screen.getByText(hostsText.saved('api.example.org')));
  expect(host.asked.find(({ name }) => name === 'hosts.setLimit')?.input).toEqual({
    host: 'api.example.org',
    limit: { concurrent: 3 },
  });
});

test('[RU-18] a token for a caller is added in the settings and offered to be copied once', async () => {
  const host = new FakeHost();
  host.tokens = ['deploy'];
  showApp(host, '/settings/access');
  await screen.findByText('deploy', { selector: 'code' });
  fireEvent.click(screen.getByRole('button', { name: text.settings.tokens.add }));
  const dialog = within(await screen.findByRole('dialog'));
  type(text.settings.tokens.name, 'ci');
  fireEvent.click(dialog.getByRole('button', { name: text.settings.tokens.submit }));
  await waitFor(() => screen.getByText(text.settings.tokens.added('ci')));
  expect(screen.getByRole('button', { name: text.settings.tokens.copy })).toBeTruthy();
  expect(document.body.textContent).not.toContain('the-new-token');
});
