// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallName } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { text } from '#renderer/text/text.ts';
import { aDecision, anUnknownEffect, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

const inputsOf = (host: FakeHost, name: CallName) =>
  host.asked.filter((asked) => asked.name === name).map(({ input }) => input);
const LOST = new ApiError({ type: 'unreachable', message: 'No reply.' });
const about = { workflowId: 'w', workflowName: 'Invoices', at: 1 };

const showInbox = async (...items: InboxItem[]) => {
  const host = new FakeHost();
  host.inbox = items;
  showApp(host, '/inbox');
  await screen.findByRole('heading', { level: 1, name: text.inbox.title });
  await waitFor(() => expect(inputsOf(host, 'inbox.list')).not.toHaveLength(0));
  return host;
};
const button = (name: RegExp) => screen.findByRole('button', { name });
const press = async (name: RegExp): Promise<void> => {
  fireEvent.click(await button(name));
};
const change = (host: FakeHost, ...items: InboxItem[]): void => {
  host.inbox = items;
  act(() => host.changed('mutations', ['mutation']));
};

describe('the inbox', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('is the start page when an item needs you; otherwise workflows or the tour is', async () => {
    const host = new FakeHost();
    host.inbox = [anUnknownEffect()];
    showApp(host, '/');
    await waitFor(() => expect(window.location.pathname).toBe('/inbox'));
    cleanup();
    const settled = new FakeHost();
    settled.workflows = [aWorkflow('a')];
    showApp(settled, '/');
    await waitFor(() => expect(window.location.pathname).toBe('/workflows'));
    cleanup();
    showApp(new FakeHost(), '/');
    expect(await screen.findByRole('button', { name: /tour/ })).toBeTruthy();
    expect(window.location.pathname).toBe('/');
  });

  test('shows that it is empty', async () => {
    await showInbox();
    expect(await screen.findByText(text.inbox.empty)).toBeTruthy();
  });

  test('[IS-5] an unreadable row can be acknowledged, unless it holds its workflow', async () => {
    const summary = 'A decision about an effect can’t be read: facts: is missing.';
    const advice = 'Update Holdfast here and on the device it came from.';
    const row = { type: 'refused_row', ...about, deviceId: 'd', summary, advice } as const;
    const host = await showInbox({ ...row, refusedId: 'r1', isHeld: false });
    const card = within(await screen.findByRole('article', { name: about.workflowName }));
    expect(card.getByText(summary)).toBeTruthy();
    await press(new RegExp(text.incident.acknowledge));
    await waitFor(() => expect(inputsOf(host, 'inbox.acknowledge')).toEqual([{ refusedId: 'r1' }]));
    change(host, { ...row, refusedId: 'r2', isHeld: true });
    await waitFor(() =>
      expect(
        screen.queryByRole('button', { name: new RegExp(text.incident.acknowledge) }),
      ).toBeNull(),
    );
    expect(await screen.findByText(summary)).toBeTruthy();
  });

  test('[IS-2] the card of a held workflow says why', async () => {
    const host = new FakeHost();
    const heldBecause = 'An event can’t be read: content.title. This workflow is held.';
    host.workflows = [aWorkflow('a', { heldBecause }), aWorkflow('b')];
    showApp(host, '/workflows');
    expect(await screen.findAllByText(heldBecause)).toHaveLength(1);
  });

  test('[UI-1] the sidebar counts items live on other pages', async () => {
    const host = new FakeHost();
    host.workflows = [aWorkflow('a')];
    showApp(host, '/workflows');
    await screen.findByRole('heading', { name: 'Workflow a' });
    expect(screen.queryByText(/needs? you/)).toBeNull();
    change(host, anUnknownEffect());
    const link = await screen.findByRole('link', { name: /Inbox.*1 item needs you/ });
    expect(link.getAttribute('href')).toBe('/inbox');
  });

  test('an unknown effect is shown with its facts, parameters and earlier decisions', async () => {
    const earlier = [
      aDecision({ id: '1', resolution: 'user_retry', status: 'done', note: 'Again.' }),
      aDecision({ id: '2', resolution: 'user_skip', status: 'superseded', message: 'Too late.' }),
    ];
    await showInbox(anUnknownEffect({ resolutions: earlier }));
    const card = within(await screen.findByRole('article', { name: 'Pay invoice 7' }));
    for (const said of [
      'Outcome unknown',
      'http.post',
      /POST bank\.example/,
      'The reply was lost.',
      text.unknown.checkNo,
      'Look at bank.example.',
      /"url": "https:\/\/bank\.example\/payments"/,
      'Again.',
      /Superseded/,
      'Too late.',
    ]) {
      expect(card.getByText(said), String(said)).toBeTruthy();
    }
    expect(card.getByRole('link', { name: text.inbox.run }).getAttribute('href')).toBe(
      '/runs/run%201',
    );
  });

  test('[UI-6] three presses of a choice make one decision', async () => {
    const host = await showInbox(anUnknownEffect());
    const happened = await button(/^It went through/);
    host.hold();
    for (let times = 0; times < 3; times += 1) fireEvent.click(happened);
    host.release();
    await screen.findByText(text.inbox.awaiting);
    fireEvent.click(happened);
    expect(inputsOf(host, 'inbox.resolve')).toEqual([
      {
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        mutationId: 'mutation',
        resolution: 'user_assert_applied',
        graceMs: 5_000,
      },
    ]);
  });

  test('[UI-6] after a lost reply the same choice reuses its request id, and another choice has its own', async () => {
    const host = await showInbox(anUnknownEffect());
    host.failures.set('inbox.resolve', LOST);
    await press(/^It didn’t/);
    await screen.findByText('No reply.');
    await press(/^It didn’t/);
    await waitFor(() => expect(inputsOf(host, 'inbox.resolve')).toHaveLength(2));
    await screen.findByText('No reply.');
    await press(/^Skip/);
    await waitFor(() => expect(inputsOf(host, 'inbox.resolve')).toHaveLength(3));
    const [first, second, third] = inputsOf(host, 'inbox.resolve');
    expect(second?.['requestId']).toBe(first?.['requestId']);
    expect(third).toMatchObject({ resolution: 'user_skip' });
    expect(third?.['requestId']).not.toBe(first?.['requestId']);
  });

  test('[EN-14] a decision shows as saved, and the effect as unknown, until the ledger settles it', async () => {
    const host = await showInbox(anUnknownEffect());
    await press(/^It went through/);
    await screen.findByText(text.inbox.awaiting);
    expect(screen.getByText('Outcome unknown')).toBeTruthy();
    expect(screen.queryByText('Applied')).toBeNull();
    change(host);
    expect(await screen.findByText(text.inbox.empty)).toBeTruthy();
    const recorded = text.inbox.recorded('It went through', 'Pay invoice 7');
    expect(screen.getByText(recorded)).toBeTruthy();
    const link = screen.getByRole('link', { name: text.inbox.follow });
    expect(link.getAttribute('href')).toBe('/runs/run%201');
  });

  test('[EN-15] sending again needs a confirmation that warns it may happen twice', async () => {
    const host = await showInbox(anUnknownEffect());
    await press(/^Send again/);
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(/may make it happen twice/)).toBeTruthy();
    fireEvent.click(dialog.getByRole('button', { name: text.app.cancel }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(inputsOf(host, 'inbox.resolve')).toEqual([]);

    await press(/^Send again/);
    const send = await screen.findByRole('button', { name: text.sendAgain.submit });
    const form = send.closest('form') ?? send;
    fireEvent.submit(form);
    fireEvent.submit(form);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(inputsOf(host, 'inbox.resolve')).toMatchObject([
      { resolution: 'user_retry', confirmed: true },
    ]);
  });

  test('[EN-14] a check needs no confirmation, and an outcome that is unknown again can be settled again', async () => {
    const unknown = { canCheck: true, reconcileAttempts: 3 };
    const host = await showInbox(anUnknownEffect(unknown));
    expect(screen.queryByRole('button', { name: /^Send again/ })).toBeNull();
    expect(await screen.findByText(text.unknown.checkYes(3))).toBeTruthy();
    await press(/^Check again/);
    await screen.findByText(text.inbox.awaiting);
    change(
      host,
      anUnknownEffect({ ...unknown, resolutions: [aDecision({ resolution: 'user_retry' })] }),
    );
    await waitFor(() => expect(screen.queryByText(text.inbox.awaiting)).toBeNull());
    await press(/^Check again/);
    await waitFor(() => expect(inputsOf(host, 'inbox.resolve')).toHaveLength(2));
    const inputs = inputsOf(host, 'inbox.resolve');
    expect(inputs[0]).not.toHaveProperty('confirmed');
    expect(new Set(inputs.map(({ requestId }) => requestId)).size).toBe(2);
  });

  test('note and result are sent with the decision, and a result with invalid JSON is not sent', async () => {
    const host = await showInbox(anUnknownEffect());
    fireEvent.click(await screen.findByText(text.unknown.more));
    const result = await screen.findByRole('textbox', { name: /Result/ });
    fireEvent.change(result, { target: { value: '{' } });
    await press(/^It went through/);
    expect(await screen.findByText(text.unknown.resultProblem)).toBeTruthy();
    expect(inputsOf(host, 'inbox.resolve')).toEqual([]);
    fireEvent.change(result, { target: { value: '{"receipt":7}' } });
    const note = screen.getByRole('textbox', { name: /Note/ });
    fireEvent.change(note, { target: { value: ' Seen. ' } });
    await press(/^It went through/);
    await waitFor(() => expect(inputsOf(host, 'inbox.resolve')).toHaveLength(1));
    expect(inputsOf(host, 'inbox.resolve')).toMatchObject([
      { note: 'Seen.', result: { receipt: 7 } },
    ]);
  });

  test('[EN-17] a question is answered once with one of its choices', async () => {
    const question = { type: 'question', ...about, wait: null, handlerRunId: 'run 1' } as const;
    const host = await showInbox({
      ...question,
      mutationId: 'm',
      question: 'Pay it?',
      details: 'It is high.',
      choices: ['Yes', 'No'],
    });
    const no = await button(/^No$/);
    fireEvent.click(no);
    fireEvent.click(no);
    fireEvent.click(await button(/^Yes$/));
    await screen.findByText(text.inbox.awaiting);
    expect(inputsOf(host, 'inbox.answer')).toEqual([{ mutationId: 'm', answer: 'No' }]);
  });

  test('[EN-17] a question without choices takes any text except an empty one', async () => {
    const question = { type: 'question', ...about, wait: null, handlerRunId: 'run 1' } as const;
    const asked = { ...question, mutationId: 'm', question: 'Why?', details: null, choices: [] };
    const host = await showInbox(asked);
    const field = await screen.findByRole('textbox', { name: text.question.answer });
    const form = field.closest('form');
    if (!form) throw new Error('The field isn’t in a form.');
    fireEvent.submit(form);
    fireEvent.change(field, { target: { value: 'Because.' } });
    fireEvent.submit(form);
    await screen.findByText(text.inbox.awaiting);
    expect(inputsOf(host, 'inbox.answer')).toEqual([{ mutationId: 'm', answer: 'Because.' }]);
  });

  test.each<[string, InboxItem, RegExp, CallName, object]>([
    [
      'a run with a missing permission is retried',
      { type: 'approval', ...about, wait: null, handlerRunId: 'run 1', error: 'No grant.' },
      /^Retry/,
      'workflows.resume',
      { workflowId: 'w' },
    ],
    [
      'an event that was set aside is rerun',
      {
        type: 'set_aside',
        ...about,
        eventId: 'e',
        topic: 'invoice',
        title: 'Invoice 7',
        error: 'The service said no.',
      },
      /^Rerun/,
      'events.rerun',
      { eventId: 'e' },
    ],
    [
      'a workflow that stopped is resumed',
      { type: 'stopped', ...about, wait: null, reason: 'It failed.' },
      /^Resume/,
      'workflows.resume',
      { workflowId: 'w' },
    ],
    [
      'the events of a topic that a version dropped are skipped',
      { type: 'left_behind', ...about, left: { type: 'events', topic: 'parcels', count: 2 } },
      /^Skip events/,
      'workflows.skipLeftBehind',
      { workflowId: 'w', topic: 'parcels' },
    ],
  ])('[UI-6] %s once for two presses', async (_, item, name, call, input) => {
    const host = await showInbox(item);
    const pressed = await button(name);
    host.hold();
    fireEvent.click(pressed);
    fireEvent.click(pressed);
    host.release();
    await waitFor(() => expect(inputsOf(host, call)).toEqual([input]));
  });

  test('[EN-33] a run whose consumer is gone is shown, with the way to its versions', async () => {
    await showInbox({
      type: 'left_behind',
      ...about,
      left: { type: 'runs', handler: 'file', count: 1 },
    });
    await screen.findByText(
      '1 unfinished run belongs to "file", which the active version no longer has.',
    );
    expect(screen.getByRole('link', { name: /^See versions/ })).toBeTruthy();
  });
});
