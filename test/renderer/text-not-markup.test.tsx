// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '#shared/api/errors.ts';
import {
  aDecision,
  aHandlerRun,
  aMutation,
  anEvent,
  anUnknownEffect,
  aRecord,
  aRun,
  aWorkflow,
  FakeHost,
} from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

let marks = 0;
/** Markup that is unique to one field. */
const evil = (): string => {
  marks += 1;
  return `<img src=x id="evil-${marks}" onerror="alert(${marks})"><b>${marks}</b>`;
};
const noMarkup = (): void => {
  expect(document.querySelectorAll('img, b, [onerror]')).toHaveLength(0);
};

describe('untrusted text', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('[UI-5] a workflow’s name is shown as text', async () => {
    const host = new FakeHost();
    const name = evil();
    host.workflows = [aWorkflow('a', { name, activeRunId: evil() })];
    showApp(host, '/workflows');
    expect(await screen.findByRole('link', { name })).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] an error’s message and problems are shown as text', async () => {
    const host = new FakeHost();
    const [message, problem] = [evil(), evil()];
    host.failures.set(
      'workflows.list',
      new ApiError({ type: 'internal', message, problems: [problem] }),
    );
    showApp(host, '/workflows');
    expect(await screen.findByText(message)).toBeTruthy();
    expect(screen.getByText(problem)).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] the fields of a session in the list are shown as text', async () => {
    const host = new FakeHost();
    const workflowName = evil();
    host.runs = [aRun('run 1', { workflowName })];
    showApp(host, '/sessions');
    expect(await screen.findByText(workflowName)).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] every field of a session, its log and its payloads is shown as text', async () => {
    const host = new FakeHost();
    const run = aRun('run 1', {
      workflowName: evil(),
      error: evil(),
      deviceId: evil(),
      runStartSha: evil(),
      runEndSha: evil(),
      scriptId: 's',
      sandboxId: evil(),
    });
    const record = aRecord(1, { eventType: evil(), stepId: evil(), payload: { [evil()]: evil() } });
    host.runs = [run];
    host.events = [record];
    showApp(host, '/sessions/run%201');
    await waitFor(() => expect(screen.getAllByText(record.eventType).length).toBeGreaterThan(0));
    fireEvent.click(screen.getByRole('button', { expanded: false }));
    const payload = await waitFor(() => {
      const shown = document.querySelector('pre');
      expect(shown).not.toBeNull();
      return shown?.textContent;
    });
    expect(JSON.parse(payload ?? '')).toEqual(record.payload);
    for (const text of [run.workflowName, run.error ?? '']) {
      expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    }
    noMarkup();
  });

  test('[UI-5] every field of a workflow is shown as text', async () => {
    const host = new FakeHost();
    const [reason, path, producer, topic] = [evil(), evil(), evil(), evil()];
    host.workflows = [
      aWorkflow('a', {
        status: 'paused',
        statusReason: reason,
        path,
        producers: [{ name: producer, schedule: { every: evil() }, nextRunAt: null }],
        topics: [{ name: topic, pending: 3 }],
      }),
    ];
    showApp(host, '/workflows');
    expect(await screen.findByText(reason)).toBeTruthy();
    expect(screen.getByText(path)).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] every field of an inbox item is shown as text', async () => {
    const host = new FakeHost();
    const about = { workflowId: 'w', workflowName: evil(), at: 1, handlerRunId: 'run 1' };
    const [question, choice, error] = [evil(), evil(), evil()];
    const mutation = {
      tool: evil(),
      method: evil(),
      params: { [evil()]: evil() },
      effectId: evil(),
      title: evil(),
      error: evil(),
      lookByHand: evil(),
      resolutions: [aDecision({ note: evil(), message: evil(), deviceId: evil() })],
    };
    host.inbox = [
      { ...anUnknownEffect(mutation), title: evil(), deviceId: evil() },
      {
        type: 'question',
        ...about,
        wait: null,
        mutationId: 'm',
        question,
        details: evil(),
        choices: [choice],
      },
      { type: 'approval', ...about, wait: null, error },
    ];
    showApp(host, '/inbox');
    expect(await screen.findByRole('heading', { name: question })).toBeTruthy();
    expect(screen.getByText(mutation.lookByHand)).toBeTruthy();
    expect(screen.getByRole('button', { name: choice })).toBeTruthy();
    expect(screen.getByText(error)).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] every field of a handler run is shown as text', async () => {
    const host = new FakeHost();
    const run = aHandlerRun('run 1', {
      workflowName: evil(),
      title: evil(),
      handlerName: evil(),
      deviceId: evil(),
      phase: 'failed',
      error: evil(),
      errorType: 'logic',
      inputState: { [evil()]: evil() },
      logs: [{ level: 'error', at: 1, text: evil() }],
      eventsIn: [anEvent('in', { title: evil(), topic: evil(), payload: { [evil()]: evil() } })],
      eventsOut: [anEvent('out', { title: evil() })],
      mutation: aMutation({ title: evil(), result: evil(), params: evil(), error: evil() }),
    });
    host.handlerRuns = [run];
    showApp(host, '/runs/run%201');
    expect(await screen.findByRole('heading', { name: run.title ?? '' })).toBeTruthy();
    for (const said of [run.error, run.logs[0]?.text, run.workflowName]) {
      expect(screen.getByText(said ?? '')).toBeTruthy();
    }
    noMarkup();
    cleanup();
    showApp(host, '/runs');
    expect(await screen.findByText(run.title ?? '')).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] an unknown path is shown as text', async () => {
    showApp(new FakeHost(), '/<b>x</b>');
    expect(await screen.findByText(/There’s no page at/)).toBeTruthy();
    noMarkup();
  });

  test('[UI-5] the source doesn’t use any HTML injection API', () => {
    const root = join(import.meta.dirname, '../../src-renderer');
    const ways = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/;
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      // Only HTML that Monaco builds passes through this file.
      if (file.endsWith('strict-styles.ts')) continue;
      if (/\.tsx?$/.test(file)) expect(readFileSync(join(root, file), 'utf8')).not.toMatch(ways);
    }
    const policy = readFileSync(join(root, 'index.html'), 'utf8');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe-/);
  });
});
