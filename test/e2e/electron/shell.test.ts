// The Electron shell: page permissions, allowed callers, and one host per data folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { succeed } from '#test/support/api-calls.ts';
import {
  callIn,
  electronArgs,
  electronExecutable,
  electronTitle,
  launchApp,
  noElectron,
  openSecondWindow,
  type RunningApp,
} from '#test/support/electron-app.ts';
import { exitOf, runNode, serveHost } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

type InPage = { readonly holdfast: { call(name: string, input: unknown): Promise<unknown> } };

async function launchForTest(dataDir: string): Promise<RunningApp> {
  const running = await launchApp(dataDir);
  onTestFinished(() => running.app.close());
  return running;
}

describe.skipIf(noElectron !== undefined)(electronTitle('the window'), () => {
  let dataDir: string;
  let app: ElectronApplication;
  let page: Page;
  let elsewhere: Server;
  let elsewhereUrl: string;

  // These tests share one app, because none of them changes it.
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
    ({ app, page } = await launchApp(dataDir));
    elsewhere = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<title>elsewhere</title>');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    elsewhere.close();
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('[SH-1] opens visibly and renders the app', async () => {
    expect(page.url()).toMatch(/^app:\/\/holdfast\//);
    expect(await page.title()).toContain('Holdfast');
    await page.locator('#root > *').first().waitFor();
    const shown = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isVisible()),
    );
    expect(shown).toEqual([true]);
  });

  test('[SH-1] is isolated and sandboxed, without Node', async () => {
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences(): { [name: string]: unknown };
      };
      const { contextIsolation, sandbox, nodeIntegration, webSecurity, webviewTag } =
        contents.getLastWebPreferences();
      return { contextIsolation, sandbox, nodeIntegration, webSecurity, webviewTag };
    });
    expect(preferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
    });
    expect(preferences['webSecurity']).not.toBe(false);
    const found = await page.evaluate(() =>
      ['process', 'require', 'module', 'Buffer', 'global', 'electron', '__dirname'].filter(
        (name) => name in window,
      ),
    );
    expect(found).toEqual([]);
  });

  test('[SH-1] sees only call, onOpen and subscribe from the main process, and can’t replace them', async () => {
    const bridge = await page.evaluate(() => {
      const { holdfast } = window as unknown as { holdfast: Record<string, unknown> };
      try {
        holdfast['call'] = () => 'replaced';
      } catch {
        // Frozen, as expected.
      }
      return {
        keys: Object.keys(holdfast).toSorted(),
        call: String(holdfast['call']).includes('replaced'),
      };
    });
    expect(bridge).toEqual({ keys: ['call', 'onOpen', 'subscribe'], call: false });
  });

  test('[SH-1] cannot open windows', async () => {
    for (const url of [elsewhereUrl, 'app://holdfast/', 'about:blank', '']) {
      expect(await page.evaluate((address) => window.open(address) === null, url), url).toBe(true);
    }
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test('[SH-1] cannot navigate away', async () => {
    const before = page.url();
    for (const url of [
      elsewhereUrl,
      'file:///etc/passwd',
      'app://evil/',
      'app://holdfast.evil/',
      'data:text/html,x',
    ]) {
      await app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        const state = globalThis as unknown as { refused?: Promise<boolean> };
        state.refused = new Promise((resolve) => {
          contents?.once('will-navigate', (event) => resolve(event.defaultPrevented));
        });
      });
      await page.evaluate((address) => {
        const link = document.createElement('a');
        link.href = address;
        document.body.append(link);
        link.click();
        link.remove();
      }, url);
      // Chromium refuses some of these without asking the app.
      if (url === elsewhereUrl || url.startsWith('app:')) {
        const refused = await app.evaluate(
          () => (globalThis as unknown as { refused: Promise<boolean> }).refused,
        );
        expect(refused, url).toBe(true);
      }
      expect(page.url(), url).toBe(before);
    }
    expect(await page.evaluate(() => 'holdfast' in window)).toBe(true);
  });

  test('[SH-1] can reload', async () => {
    await page.evaluate(() => Object.assign(window, { before: true }));
    const loaded = page.waitForEvent('load');
    await page.evaluate(() => location.reload());
    await loaded;
    expect(await page.evaluate(() => 'before' in window)).toBe(false);
    await page.locator('#root > *').first().waitFor();
  });

  test('[SH-1] gets no browser permissions', async () => {
    const answers = await page.evaluate(async () => {
      const states = await Promise.all(
        ['notifications', 'geolocation', 'camera', 'microphone', 'clipboard-read', 'midi'].map(
          async (name) =>
            (await navigator.permissions.query({ name: name as PermissionName })).state,
        ),
      );
      const location = await new Promise((resolve) => {
        navigator.geolocation.getCurrentPosition(
          () => resolve('given'),
          ({ code }) => resolve(code),
        );
      });
      return { states, location, notifications: await Notification.requestPermission() };
    });
    expect(new Set(answers.states)).toEqual(new Set(['denied']));
    expect(answers).toMatchObject({ location: 1, notifications: 'denied' });
  });

  test('[SH-1] [HT-4] blocks inline scripts, foreign scripts and foreign fetches', async () => {
    const ran = await page.evaluate(async (url) => {
      const violations = new Set<string>();
      const blocked = new Promise<void>((resolve) => {
        document.addEventListener(
          'securitypolicyviolation',
          ({ effectiveDirective, blockedURI }) => {
            violations.add(
              `${effectiveDirective} ${blockedURI === 'inline' ? 'inline' : 'elsewhere'}`,
            );
            if (violations.size === 3) resolve();
          },
        );
      });
      const inline = document.createElement('script');
      inline.textContent = 'window.inlineRan = true';
      const foreign = document.createElement('script');
      foreign.src = `${url}script.js`;
      document.body.append(inline, foreign);
      const fetched = await fetch(url).then(
        () => 'fetched',
        () => 'refused',
      );
      await blocked;
      inline.remove();
      foreign.remove();
      return { inline: 'inlineRan' in window, fetched, violations: [...violations].toSorted() };
    }, elsewhereUrl);
    expect(ran).toEqual({
      inline: false,
      fetched: 'refused',
      violations: ['connect-src elsewhere', 'script-src-elem elsewhere', 'script-src-elem inline'],
    });
  });

  test('[SH-2] a page of another origin with the same preload is refused', async () => {
    for (const url of ['data:text/html,<title>foreign</title>', elsewhereUrl, 'about:blank']) {
      const foreign = await openSecondWindow(app, url);
      const call = callIn(foreign);
      const answer = await call('workflows.create', {
        requestId: `foreign ${url}`,
        name: 'Foreign',
      });
      expect(answer, url).toEqual({
        ok: false,
        error: {
          type: 'forbidden',
          message: "Only Holdfast's window may make calls. Nothing was changed.",
        },
      });
      await foreign.close();
    }
    const { workflows } = await succeed(callIn(page), 'workflows.list', {});
    expect(workflows.filter(({ name }) => name === 'Foreign')).toEqual([]);
  });

  test('[SH-2] a page of another origin gets no feed messages', async () => {
    const foreign = await openSecondWindow(app, 'data:text/html,<title>foreign</title>');
    await foreign.evaluate(() => {
      const state = window as unknown as {
        heard: unknown[];
        holdfast: { subscribe(on: (m: unknown) => void): void };
      };
      state.heard = [];
      state.holdfast.subscribe((message) => state.heard.push(message));
    });
    const own = callIn(page);
    await page.getByRole('link', { name: 'Workflows', exact: true }).click();
    await succeed(own, 'workflows.create', { requestId: 'heard-1', name: 'Heard' });
    await page.getByText('Heard').first().waitFor();
    // Our own page has received it, and this refused call orders the foreign page after it.
    await callIn(foreign)('host.info', {});
    expect(await foreign.evaluate(() => (window as unknown as { heard: unknown[] }).heard)).toEqual(
      [],
    );
    await foreign.close();
  });

  test('[SH-2] a frame of our own origin inside our own page is refused', async () => {
    const second = await openSecondWindow(app, 'app://holdfast/', { preloadInFrames: true });
    const answers = await second.evaluate(async () => {
      // A srcdoc frame has our origin, and the policy on URLs doesn't block it.
      const frame = document.createElement('iframe');
      frame.srcdoc = '<p>inside</p>';
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      document.body.append(frame);
      await loaded;
      const inside = frame.contentWindow as unknown as InPage & { origin: string };
      const outside = window as unknown as InPage;
      return {
        origin: inside.origin,
        inside: await inside.holdfast.call('host.info', {}),
        outside: await outside.holdfast.call('host.info', {}),
      };
    });
    await second.close();
    expect(answers).toMatchObject({
      origin: 'app://holdfast',
      inside: { ok: false, error: { type: 'forbidden' } },
      outside: { ok: true },
    });
  });

  test('[SH-2] a frame with a URL is blocked in our page', async () => {
    const directive = await page.evaluate(async () => {
      const frame = document.createElement('iframe');
      frame.src = 'app://holdfast/';
      const blocked = new Promise((resolve) => {
        document.addEventListener(
          'securitypolicyviolation',
          (event) => resolve(event.effectiveDirective),
          {
            once: true,
          },
        );
      });
      document.body.append(frame);
      const what = await blocked;
      frame.remove();
      return what;
    });
    expect(directive).toBe('frame-src');
  });

  test('[TR-1] [UI-1] a workflow created by a call appears in the page live', async () => {
    const request = { requestId: 'live-1', name: 'Made while you look' };
    await page.getByRole('link', { name: 'Workflows', exact: true }).click();
    await succeed(callIn(page), 'workflows.create', request);
    await page.getByText('Made while you look').first().waitFor();
    await expect.poll(() => page.getByText('Made while you look').count()).toBeGreaterThan(0);
  });
});

describe.skipIf(noElectron !== undefined)(electronTitle('the data folder of the window'), () => {
  test('[DF-2] refuses a second host, which names the process of the first', async () => {
    const dataDir = tempFolder();
    const { page } = await launchForTest(dataDir);
    const { pid } = await succeed(callIn(page), 'host.info', {});
    const second = await runNode('bin/holdfast.mjs', ['serve', '--data', dataDir, '--json']);
    expect(second.code).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr).toContain(`Process ${pid} is using the data folder ${dataDir}.`);
    expect(await succeed(callIn(page), 'host.info', {})).toMatchObject({ pid });
  });

  test('[DF-2] a window can’t start while a served host has the folder open, and says so', async () => {
    const dataDir = tempFolder();
    const { pid } = await serveHost(dataDir);
    const child = spawn(electronExecutable(), electronArgs(dataDir), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let stderr = '';
    // The dialog waits for a person; stderr gets the message first.
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString('utf8');
        if (stderr.includes('--data.')) resolve();
      });
    });
    expect(stderr).toContain(`holdfast: Process ${pid} is using the data folder ${dataDir}.`);
  });

  test('[DF-2] a second start shows the first window and exits; another folder runs beside it', async () => {
    const [shared, other] = [tempFolder(), tempFolder()];
    const first = await launchForTest(shared);
    await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
    const again = spawn(electronExecutable(), electronArgs(shared), { stdio: 'ignore' });
    onTestFinished(() => {
      again.kill('SIGKILL');
    });
    expect(await exitOf(again)).toBe(0);
    await expect
      .poll(() =>
        first.app.evaluate(({ BrowserWindow }) =>
          BrowserWindow.getAllWindows().map((w) => w.isVisible()),
        ),
      )
      .toEqual([true]);

    const beside = await launchForTest(other);
    const [one, two] = await Promise.all(
      [first, beside].map(({ page }) => succeed(callIn(page), 'host.info', {})),
    );
    expect(one?.dataDir).toBe(shared);
    expect(two?.dataDir).toBe(other);
    expect(one?.pid).not.toBe(two?.pid);
  });

  test('[DF-2] keeps its ids and workflows through a restart', async () => {
    const dataDir = tempFolder();
    const first = await launchApp(dataDir);
    const made = await succeed(callIn(first.page), 'workflows.create', {
      requestId: 'r',
      name: 'Outlives the window',
    });
    const before = await succeed(callIn(first.page), 'host.info', {});
    await first.app.close();
    const { page } = await launchForTest(dataDir);
    await page.getByText('Outlives the window').first().waitFor();
    const after = await succeed(callIn(page), 'host.info', {});
    expect(after).toMatchObject({ deviceId: before.deviceId, spaceId: before.spaceId });
    expect(after.pid).not.toBe(before.pid);
    expect(await succeed(callIn(page), 'workflows.get', { workflowId: made.id })).toEqual(made);
  });
});
