// Runs a script as a job, follows its coloured log live, and cancels it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectFits } from '#test/e2e/browser/fine-page.ts';
import { seen, type AppWindow } from '#test/e2e/flows/app-window.ts';

/** Prints in colour, waits for a file `go` in its folder, then runs until it is canceled. */
export const COLOURED = `
printf '\\033[1mBuilding\\033[0m holdfast\\n'
printf '\\033[32mok\\033[0m   types   \\033[2m4.1 s\\033[0m\\n'
printf '\\033[33mwarn\\033[0m lint    2 warnings\\n'
printf '\\033[31mfail\\033[0m <b>tests</b>   \\033[38;2;200;80;200m3 failed\\033[0m\\n' >&2
printf 'progress 10 %%\\rprogress 100 %%\\n'
printf '\\033]0;title\\007\\033[2Jafter\\n'
while [ ! -e go ]; do sleep 0.1; done
echo 'and on'; sleep 300`;

export const startJob = ({ call }: Pick<AppWindow, 'call'>, scriptKey: string, args = {}) =>
  call('jobs.start', { requestId: crypto.randomUUID(), scriptKey, repoKey: 'main', args });

/** Starts on the list of jobs. `build` must be a script that prints `COLOURED`. */
export async function followJob(
  appWindow: AppWindow,
  repo: string,
  look: (what: 'jobs' | 'job') => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { page } = appWindow;
  const job = await startJob(appWindow, 'build', { target: 'all' });
  await page.getByRole('row').getByText('build').waitFor();
  await page.getByRole('row').getByText('Running').waitFor();
  await look('jobs');
  await page.getByRole('row').getByText('build').click();
  await page.waitForURL(`**/jobs/${job.id}`);
  await seen(page, 'progress 100 %');
  const log = page.getByRole('group', { name: 'Log' });
  const text = (await log.textContent()) ?? '';
  expect(text).toContain('<b>tests</b>');
  expect(text).not.toContain('progress 10 %');
  expect(text).not.toContain('title');
  expect(text).toContain('after');
  const colourOf = (word: string) =>
    log.getByText(word, { exact: true }).evaluate((element) => getComputedStyle(element).color);
  const [ok, fail, exact] = [
    await colourOf('ok'),
    await colourOf('fail'),
    await colourOf('3 failed'),
  ];
  expect(new Set([ok, fail, exact]).size).toBe(3);
  expect(exact).toBe('rgb(200, 80, 200)');
  await look('job');
  writeFileSync(join(repo, 'go'), '');
  await seen(page, 'and on');
  await expectFits(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await seen(page, /Canceled\. The script is asked to stop/);
  await page.getByText('Canceled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
}
