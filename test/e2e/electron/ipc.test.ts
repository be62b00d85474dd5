// The transport contract over IPC, in a real Electron: two windows of one app.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ApiResult } from '#shared/api/errors.ts';
import { feedMessageSchema, type FeedMessage } from '#shared/api/feed.ts';
import { transportContract, type Connection } from '#test/contract/transport.suite.ts';
import { succeed } from '#test/support/api-calls.ts';
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

  // One app for all tests, because it takes seconds to start.
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

  test('[FD-4] a message in flight is not delivered after a page resubscribes', async () => {
    await delayMessages(running.app);
    const { call, follow } = connectionOf(second);
    const earlier = await follow();
    const request = { requestId: randomUUID(), name: 'n' };
    const { id: workflowId } = await succeed(call, 'workflows.create', request);
    await earlier.until(({ type }) => type === 'changes');
    const later = await follow();
    await later.until(({ type }) => type === 'hello');
    expect(later.all).toEqual([{ type: 'hello' }]);
    await succeed(call, 'workflows.pause', { workflowId });
    await later.until(({ type }) => type === 'changes');
    // The earlier listener still gets messages.
    expect(earlier.all.filter(({ type }) => type === 'hello')).toHaveLength(2);
  });
});

/** Repeats the last message to the second window just before each hello. */
const delayMessages = (app: ElectronApplication) =>
  app.evaluate(({ webContents }) => {
    const contents = webContents.getAllWebContents().toSorted((a, b) => b.id - a.id)[0];
    if (!contents) throw new Error('No window.');
    const send = contents.send.bind(contents);
    let last: Parameters<typeof send> | undefined;
    contents.send = (...args) => {
      if ((args.at(-1) as FeedMessage).type === 'hello' && last) send(...last);
      last = args;
      send(...args);
    };
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
