// The transport contract over IPC, in a real Electron: two windows of one app.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import type { ApiResult } from '#shared/api/errors.ts';
import { feedMessageSchema, type FeedMessage } from '#shared/api/feed.ts';
import { transportContract, type Connection } from '#test/contract/transport.suite.ts';
import {
  electronTitle,
  launchApp,
  noElectron,
  openSecondWindow,
  type RunningApp,
} from '#test/support/electron-app.ts';
import { createMailbox } from '#test/support/mailbox.ts';

interface Bridge {
  call(name: string, input: unknown): Promise<unknown>;
  subscribe(onMessage: (message: unknown) => void): () => void;
}
type WithBridge = { readonly holdfast: Bridge } & { [heard: string]: (message: unknown) => void };

describe.skipIf(noElectron !== undefined)(electronTitle('Electron'), () => {
  let dataDir: string;
  let running: RunningApp;
  let second: Page;

  // One app for all tests: it takes seconds to start.
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
    running = await launchApp(dataDir);
    second = await openSecondWindow(running.app, 'app://holdfast/');
  });
  afterAll(async () => {
    await running.app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  transportContract('IPC', async () => ({
    one: connectionOf(running.page),
    other: connectionOf(second),
  }));
});

let listeners = 0;

function connectionOf(page: Page): Connection {
  return {
    call: (name, input) =>
      page.evaluate(
        ([callName, value]) =>
          (window as unknown as WithBridge).holdfast.call(callName as string, value),
        [name, input],
      ) as Promise<ApiResult<unknown>>,
    follow: async () => {
      const messages = createMailbox<FeedMessage>();
      const heard = `heard${(listeners += 1)}`;
      await page.exposeFunction(heard, (message: unknown) =>
        messages.push(feedMessageSchema.parse(message)),
      );
      const unsubscribe = await page.evaluateHandle((name) => {
        const bridge = (window as unknown as WithBridge).holdfast;
        return { stop: bridge.subscribe((window as unknown as WithBridge)[name] as () => void) };
      }, heard);
      onTestFinished(() => unsubscribe.evaluate(({ stop }) => stop()));
      return messages;
    },
  };
}
