// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Command } from '#renderer/commands/command-registry.ts';
import { preselectedIndex } from '#renderer/commands/use-active-option.ts';
import { preferences } from '#renderer/shell/preferences.ts';
import { resolutionLabel } from '#renderer/text/inbox-text.ts';
import { COMMAND_GROUP_LABELS, shellText } from '#renderer/text/shell-text.ts';
import { text } from '#renderer/text/text.ts';
import { anUnknownEffect, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

const openPalette = async () => {
  fireEvent.keyDown(window, { key: 'k', ctrlKey: true });
  const dialog = await screen.findByRole('dialog', { name: shellText.palette.title });
  return { dialog, field: within(dialog).getByRole('combobox') };
};

const press = (field: HTMLElement, key: string) => fireEvent.keyDown(field, { key });
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const options = (dialog: HTMLElement) => within(dialog).getAllByRole('option');
const active = (dialog: HTMLElement) =>
  options(dialog).filter((option) => option.getAttribute('aria-selected') === 'true');
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 50)));

const command = (group: Command['group'], isHarmless?: boolean): Command => ({
  id: group,
  name: group,
  group,
  run: () => undefined,
  ...(isHarmless === undefined ? {} : { isHarmless }),
});

describe('preselection of the palette', () => {
  test('[DX-8] selects navigation and commands marked as harmless', () => {
    expect(preselectedIndex([command('go')])).toBe(0);
    expect(preselectedIndex([command('workflow')])).toBe(0);
    expect(preselectedIndex([command('app', true), command('page')])).toBe(0);
  });

  test('[DX-8] selects nothing if the first command would act', () => {
    expect(preselectedIndex([])).toBe(-1);
    expect(preselectedIndex([command('page'), command('go')])).toBe(-1);
    expect(preselectedIndex([command('app'), command('go')])).toBe(-1);
    expect(preselectedIndex([command('page', false), command('go')])).toBe(-1);
  });
});

describe('the palette', () => {
  let host: FakeHost;
  beforeEach(() => {
    giveElementsASize();
    host = new FakeHost();
    host.workflows = [aWorkflow('a', { name: 'Invoices' })];
  });
  afterEach(() => {
    cleanup();
    preferences.setState({ theme: 'system' });
  });

  test('[DX-8] never preselects a decision: Enter settles nothing until a person moves to it', async () => {
    host.inbox = [anUnknownEffect()];
    showApp(host, '/inbox');
    await screen.findByRole('article');
    const { dialog, field } = await openPalette();
    expect(active(dialog)).toEqual([]);
    expect(field.getAttribute('aria-activedescendant')).toBeNull();
    press(field, 'Enter');
    await settle();
    const label = resolutionLabel('user_assert_applied', false);
    type(field, label);
    expect(options(dialog)[0]?.textContent).toContain(label);
    expect(active(dialog)).toEqual([]);
    press(field, 'Enter');
    await settle();
    expect(host.asked.filter(({ name }) => name === 'inbox.resolve')).toEqual([]);
    expect(screen.getByRole('dialog')).toBe(dialog);
    // Reached with the arrow keys, it runs.
    press(field, 'ArrowDown');
    expect(active(dialog)).toEqual([options(dialog)[0]]);
    press(field, 'Enter');
    await waitFor(() =>
      expect(host.asked.filter(({ name }) => name === 'inbox.resolve')).toHaveLength(1),
    );
  });

  test('[DX-8] preselects a theme that was typed, and Enter switches to it', async () => {
    showApp(host, '/workflows');
    await screen.findByRole('article', { name: 'Invoices' });
    const { dialog, field } = await openPalette();
    type(field, 'dark');
    expect(active(dialog)).toEqual([options(dialog)[0]]);
    expect(field.getAttribute('aria-activedescendant')).toBe(options(dialog)[0]?.id);
    press(field, 'Enter');
    await waitFor(() => expect(preferences.getState().theme).toBe('dark'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('[DX-8] shows named groups and shortcuts; arrows wrap around, Home and End go to the ends', async () => {
    showApp(host, '/workflows');
    await screen.findByRole('article', { name: 'Invoices' });
    const { dialog, field } = await openPalette();
    const go = within(dialog).getByRole('group', { name: COMMAND_GROUP_LABELS.go });
    expect(within(go).getByRole('option', { name: /Inbox/ }).querySelectorAll('kbd')).toHaveLength(
      2,
    );
    const all = options(dialog);
    press(field, 'End');
    expect(active(dialog)).toEqual([all.at(-1)]);
    press(field, 'ArrowDown');
    expect(active(dialog)).toEqual([all[0]]);
    press(field, 'ArrowUp');
    expect(active(dialog)).toEqual([all.at(-1)]);
    press(field, 'Home');
    expect(active(dialog)).toEqual([all[0]]);
    // Other text resets the position.
    type(field, text.app.devices);
    expect(active(dialog)).toEqual([options(dialog)[0]]);
    press(field, 'Enter');
    await waitFor(() => expect(location.pathname).toBe('/devices'));
  });

  test('[DX-8] finds the pages of a workflow, and offers a search of runs', async () => {
    showApp(host, '/workflows');
    await screen.findByRole('article', { name: 'Invoices' });
    const { dialog, field } = await openPalette();
    type(field, 'graph inv');
    expect(options(dialog)[0]?.textContent).toBe(shellText.palette.workflow.graph('Invoices'));
    type(field, 'qqq');
    expect(options(dialog).map(({ textContent }) => textContent)).toEqual([
      shellText.palette.searchRuns('qqq'),
    ]);
    fireEvent.click(options(dialog)[0] as HTMLElement);
    await waitFor(() => expect(location.pathname + location.search).toBe('/runs?q=qqq'));
  });
});
