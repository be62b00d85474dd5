// The desktop app: tray, notifications, deep links, and a window that restores its position.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { devToolsPort, evaluate, rendererIds } from '#test/e2e/electron/devtools.ts';
import { succeed, type Call } from '#test/support/api-calls.ts';
import {
  callIn,
  electronArgs,
  electronExecutable,
  electronTitle,
  launchApp,
  noElectron,
} from '#test/support/electron-app.ts';
import { eventually } from '#test/support/eventually.ts';
import { exitOf } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const ASKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Asker', uses: { ask: {} }, topics: ['in'],
  producers: { never: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: { ask: {
    subscribes: 'in', publishes: [],
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event], ui: { title: event.title } } : {};
    },
    async mutate(ctx, prepared) {
      await ctx.tools.ask.question({ question: 'May ' + prepared.reservations[0].title + '?' });
    },
    async next() {},
  } },
});`;

/** Xvfb is one screen of 1440 × 900 without a window manager. */
const PLACE = { x: 120, y: 90, width: 900, height: 600 };

async function addAsker(call: Call, name = 'Asker'): Promise<string> {
  const path = join(tempFolder(), 'asker.ts');
  writeFileSync(path, ASKER.replace("'Asker'", `'${name}'`));
  return (await succeed(call, 'workflows.add', { path })).workflowId;
}

const askMore = (call: Call, workflowId: string, title: string) =>
  succeed(call, 'events.publish', {
    workflowId,
    topic: 'in',
    messageId: title,
    title,
    payload: null,
  });

async function launchForTest(
  dataDir: string,
  options: Parameters<typeof launchApp>[1] = {},
): Promise<{
  app: ElectronApplication;
  call: Call;
  page: Page;
}> {
  const { app, page } = await launchApp(dataDir, options);
  onTestFinished(() => app.close());
  return { app, page, call: callIn(page) };
}

/** The window's URL and visibility, as the app reports them. */
const placeOf = (app: ElectronApplication) =>
  app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return { url: window?.webContents.getURL(), isVisible: window?.isVisible() };
  });

async function startAgain(dataDir: string, ...args: string[]): Promise<void> {
  const again = spawn(electronExecutable(), [...electronArgs(dataDir), ...args], {
    stdio: 'ignore',
  });
  onTestFinished(() => {
    again.kill('SIGKILL');
  });
  expect(await exitOf(again)).toBe(0);
}

interface Watched {
  menu: { items: { label: string; enabled: boolean; click(): void }[] } | undefined;
  tooltip: string;
}

/** Records the tray's menu and tooltip, so that tests can read and click them. */
async function watchTray(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ Tray }) => {
    const watched: Watched = { menu: undefined, tooltip: '' };
    Object.assign(globalThis, { watched });
    const { setContextMenu, setToolTip } = Tray.prototype;
    Tray.prototype.setContextMenu = function watchMenu(menu) {
      watched.menu = menu as never;
      setContextMenu.call(this, menu);
    };
    Tray.prototype.setToolTip = function watchTooltip(tooltip) {
      watched.tooltip = tooltip;
      setToolTip.call(this, tooltip);
    };
  });
}

const trayOf = (app: ElectronApplication) =>
  app.evaluate(() => {
    const { watched } = globalThis as unknown as { watched: Watched };
    const items = watched.menu?.items ?? [];
    return {
      tooltip: watched.tooltip,
      enabled: items
        .filter(({ label, enabled }) => label !== '' && enabled)
        .map(({ label }) => label),
    };
  });

const clickInTray = (app: ElectronApplication, label: string) =>
  app.evaluate((_electron, wanted) => {
    const { watched } = globalThis as unknown as { watched: Watched };
    watched.menu?.items.find((item) => item.label === wanted)?.click();
  }, label);

interface Shown {
  notices: { title: string; body: string; click(): void }[];
}

/** Captures notifications instead of showing them. */
async function watchNotices(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ Notification }) => {
    const shown: Shown = { notices: [] };
    Object.assign(globalThis, { shown });
    Notification.isSupported = () => true;
    Notification.prototype.show = function show() {
      const { title, body } = this;
      shown.notices.push({ title, body, click: () => this.emit('click', {}) });
    };
  });
}

const noticesOf = (app: ElectronApplication) =>
  app.evaluate(() =>
    (globalThis as unknown as { shown: Shown }).shown.notices.map(({ title, body }) => [
      title,
      body,
    ]),
  );

describe.skipIf(noElectron !== undefined)(electronTitle('the desktop app'), () => {
  test('[SH-4] the window reopens with its last bounds', async () => {
    const dataDir = tempFolder();
    const first = await launchApp(dataDir);
    await first.app.evaluate(({ BrowserWindow }, place) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(place);
    }, PLACE);
    await first.app.close();
    const { app } = await launchForTest(dataDir);
    const bounds = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
    );
    expect(bounds).toEqual(PLACE);
  });

  test('[SH-5] a deep link opens its page, at first start and from a second start', async () => {
    const dataDir = tempFolder();
    const { app, page } = await launchForTest(dataDir, { args: ['holdfast://settings/about'] });
    await page.getByText('cr-sqlite').waitFor();
    expect(page.url()).toBe('app://holdfast/settings/about');
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await startAgain(dataDir, 'holdfast://run/no-such-run');
    await page.getByText('Run not found').first().waitFor();
    expect(page.url()).toBe('app://holdfast/runs/no-such-run');
    // The page navigated without a reload.
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
    const pairing = `holdfast://pair?v=1&d=${'a'.repeat(32)}&t=${'0'.repeat(32)}&a=127.0.0.1:1`;
    await startAgain(dataDir, pairing);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Pairing link' }).inputValue())
      .toBe(pairing);
    await expect.poll(() => page.url()).toBe('app://holdfast/devices/join');
    await startAgain(dataDir, 'holdfast://run/../../etc');
    expect(await placeOf(app)).toEqual({ url: 'app://holdfast/devices/join', isVisible: true });
  });

  test('[SH-6] a crashed page is restored at the same URL', async () => {
    const dataDir = tempFolder();
    // Playwright's own launcher attaches from the start and would hold on to the dead page.
    const app = spawn(
      electronExecutable(),
      [...electronArgs(dataDir), '--remote-debugging-port=0', 'holdfast://settings/about'],
      { stdio: 'ignore' },
    );
    onTestFinished(() => {
      app.kill('SIGKILL');
    });
    const port = await eventually(() => {
      const found = devToolsPort(dataDir);
      if (found === undefined) throw new Error('The app does not listen yet.');
      return found;
    });
    const texts = `document.body.innerText`;
    await eventually(async () => {
      expect((await evaluate(port, texts)).value).toContain('cr-sqlite');
    });
    // Navigate inside the page, so that the current URL differs from the first one.
    await evaluate(port, `[...document.links].find((link) => link.text === 'Secrets').click()`);
    const shown = `[${texts}.includes('No secrets yet'), 'isSamePage' in window]`;
    const url = 'app://holdfast/settings/secrets';
    await eventually(async () => {
      expect(await evaluate(port, shown)).toEqual({ url, value: [true, false] });
    });
    await evaluate(port, `window.isSamePage = true`);
    const killed = await rendererIds(port);
    expect(killed.length).toBeGreaterThan(0);
    for (const id of killed) process.kill(id, 'SIGKILL');
    await eventually(async () => {
      const ids = await rendererIds(port);
      expect(ids.filter((id) => killed.includes(id))).toEqual([]);
      expect(await evaluate(port, shown)).toEqual({ url, value: [true, false] });
    });
    expect(app.exitCode).toBeNull();
  });

  test('[SH-7] the tray counts inbox items, pauses all workflows and resumes them', async () => {
    const { app, call, page } = await launchForTest(tempFolder());
    await watchTray(app);
    const workflowId = await addAsker(call);
    await askMore(call, workflowId, 'first');
    await expect
      .poll(() => trayOf(app))
      .toEqual({
        tooltip: 'Holdfast: 1 item needs you',
        enabled: ['Open Holdfast', '1 item needs you', 'Pause all', 'Quit Holdfast'],
      });
    await clickInTray(app, 'Pause all');
    await expect
      .poll(async () => (await succeed(call, 'workflows.get', { workflowId })).status)
      .toBe('paused');
    await expect
      .poll(() => trayOf(app))
      .toEqual({
        tooltip: 'Holdfast: 1 item needs you, all workflows paused',
        enabled: ['Open Holdfast', '1 item needs you', 'Resume all', 'Quit Holdfast'],
      });
    await clickInTray(app, 'Resume all');
    await expect
      .poll(async () => (await succeed(call, 'workflows.get', { workflowId })).status)
      .toBe('active');
    await clickInTray(app, '1 item needs you');
    await page.waitForURL('**/inbox');
  });

  test('[SH-8] an inbox item notifies once, even across a crash, and a click opens the inbox', async () => {
    const dataDir = tempFolder();
    const first = await launchApp(dataDir);
    await watchNotices(first.app);
    const call = callIn(first.page);
    const workflowId = await addAsker(call);
    await askMore(call, workflowId, 'first');
    await expect.poll(() => noticesOf(first.app)).toEqual([['Asker has a question', 'May first?']]);
    await first.app.evaluate(() =>
      (globalThis as unknown as { shown: Shown }).shown.notices[0]?.click(),
    );
    await first.page.waitForURL('**/inbox');
    const ended = exitOf(first.app.process());
    first.app.process().kill('SIGKILL');
    await ended;

    const second = await launchForTest(dataDir);
    await watchNotices(second.app);
    const pausable = await addAsker(second.call, 'Second');
    await askMore(second.call, pausable, 'second');
    await expect
      .poll(() => noticesOf(second.app))
      .toEqual([['Second has a question', 'May second?']]);
    await succeed(second.call, 'desktop.set', { notifications: false });
    await succeed(second.call, 'inbox.answer', {
      mutationId: await questionOf(second.call, 'May second?'),
      answer: 'yes',
    });
    await askMore(second.call, pausable, 'third');
    await expect
      .poll(async () => (await succeed(second.call, 'inbox.list', {})).items.length)
      .toBe(2);
    await watchTray(second.app);
    await askMore(second.call, workflowId, 'fourth');
    await expect.poll(async () => (await trayOf(second.app)).tooltip).toMatch(/2 items need you/);
    expect(await noticesOf(second.app)).toHaveLength(1);
  });

  test('[SH-9] closing hides the window and the host keeps running, unless keepRunning is off', async () => {
    const dataDir = tempFolder();
    const { app, call } = await launchForTest(dataDir);
    const closeWindow = () =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    await closeWindow();
    await expect.poll(async () => (await placeOf(app)).isVisible).toBe(false);
    expect((await succeed(call, 'host.info', {})).pid).toBe(app.process().pid);
    await startAgain(dataDir);
    await expect.poll(async () => (await placeOf(app)).isVisible).toBe(true);
    await succeed(call, 'desktop.set', { keepRunning: false });
    const ended = exitOf(app.process());
    await closeWindow().catch(() => undefined);
    await ended;
  });

  test('[SH-10] [ST-6] start at login is switched on and off', async () => {
    const config = tempFolder();
    const dataDir = tempFolder();
    const { call, page } = await launchForTest(dataDir, { env: { XDG_CONFIG_HOME: config } });
    const entry = join(config, 'autostart', 'holdfast.desktop');
    const { desktop } = await succeed(call, 'desktop.get', {});
    expect(desktop).toMatchObject({ startAtLogin: false, startAtLoginProblem: null });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Open in file manager' }).waitFor();
    await page.getByRole('button', { name: 'Copy path' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Desktop' }).click();
    const wish = page.getByRole('switch', { name: /Start at login/ });
    await page.getByText('Start at login', { exact: true }).click();
    await expect.poll(() => wish.isChecked()).toBe(true);
    const text = readFileSync(entry, 'utf8');
    expect(text).toContain(`"--data" "${dataDir}" "--hidden"`);
    expect(text).toContain(`Exec="${electronExecutable()}"`);
    await page.getByText('Start at login', { exact: true }).click();
    await expect.poll(() => existsSync(entry)).toBe(false);
    await expect.poll(() => wish.isChecked()).toBe(false);
    expect((await succeed(call, 'host.versions', {})).electron).toMatch(/^\d+\./);
  });
});

async function questionOf(call: Call, question: string): Promise<string> {
  const { items } = await succeed(call, 'inbox.list', {});
  const found = items.find((item) => item.type === 'question' && item.question === question);
  return found?.type === 'question' ? found.mutationId : '';
}
