// A real host in this process with a history of 100,000 runs and 1,000,000 events, and a page of it in
// Chromium.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { loadMigrations, migrateFile } from '#main/store/sqlite/migrate.ts';
import { ensureBuilt } from '#scripts/lib/build.mjs';
import { cacheFolder } from '#scripts/lib/paths.mjs';
import { sayOnStderr as say } from '#scripts/lib/processes.mjs';
import { prepareBrowser } from '#scripts/test-runtime.mjs';
import { seedHistory } from '#test/support/seed-history.ts';
import { tempFolderUntilExit } from '../engine/temp-folder-until-exit.ts';

const RUNS = 100_000;
const EVENTS = 1_000_000;
const INPUTS = 100_000;
const JOBS = 10_000;
/** More unknown outcomes than a real inbox has. */
const UNKNOWN = 200;

export interface BenchWindow {
  readonly host: Host;
  readonly page: Page;
  readonly devtools: CDPSession;
  /** The address of a page, with the token. */
  link(path: string): string;
  close(): Promise<void>;
}

export async function openWindow(): Promise<BenchWindow> {
  await ensureBuilt({ say });
  const chromium = await prepareBrowser({ say });
  if (!chromium.ok) throw new Error(`The bench needs Chromium: ${chromium.reason}`);
  process.env['HOLDFAST_TEST_CHROMIUM'] = chromium.executable;
  // Imported late, because the module reads HOLDFAST_TEST_CHROMIUM when it is loaded.
  const { launchChromium } = await import('#test/e2e/browser/browser.ts');
  const dataDir = tempFolderUntilExit('ui');
  copyFileSync(seededDatabase(), join(dataDir, 'holdfast.db'));
  const host = createHost({ dataDir, createLog: createSilentLog });
  const token = host.token.current;
  const server = await startHttpServer({ host, port: 0 });
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const link = (path: string): string => `${server.url}${path}#token=${token}`;
  await page.goto(link('/inbox'));
  await page.locator('main h1').waitFor();
  const devtools = await context.newCDPSession(page);
  return {
    host,
    page,
    devtools,
    link,
    async close() {
      await browser.close();
      await server.close();
      await host.close();
    },
  };
}

/** A cached database; made again when the schema or the code that fills it changes. */
function seededDatabase(): string {
  const folder = cacheFolder('bench');
  const seed = fileURLToPath(import.meta.resolve('#test/support/seed-history.ts'));
  const hash = createHash('sha256').update(readFileSync(seed));
  for (const { sql } of loadMigrations()) hash.update(sql);
  const path = join(folder, `ui-${hash.digest('hex').slice(0, 16)}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  say('making 100,000 runs and 1,000,000 events (cached for the next run)');
  const unfinished = `${path}.${process.pid}`;
  migrateFile(unfinished);
  seedHistory(unfinished, {
    runs: RUNS,
    events: EVENTS,
    inputs: INPUTS,
    jobs: JOBS,
    unknown: UNKNOWN,
  });
  renameSync(unfinished, path);
  return path;
}
