// The four ways to settle what nobody can know, each to its end: what becomes of the run, and what
// the outside truly did.
import { expect } from 'vitest';
import { tabTo } from '#test/e2e/browser/browser.ts';
import { seen } from '#test/e2e/flows/desk.ts';
import {
  loseAnAnswer,
  openInbox,
  payRuns,
  phasesAre,
  publish,
  settled,
  type Payments,
} from '#test/e2e/flows/payments.ts';

const seeWhatComes = ({ page }: Payments): Promise<void> =>
  page.getByRole('link', { name: 'See what comes of it' }).click();

export async function sayItHappened(payments: Payments): Promise<void> {
  const { page, practice, call, invoice } = payments;
  await loseAnAnswer(payments);
  const card = await openInbox(payments);
  await card.getByText('Add a note or a result').click();
  await card.getByRole('textbox', { name: 'Result' }).fill('{ "receipt": ');
  await card.getByRole('button', { name: 'It happened' }).click();
  await seen(page, /This is not JSON/);
  await card.getByRole('textbox', { name: 'Result' }).fill('{ "receipt": 7 }');
  await card.getByRole('textbox', { name: 'Note' }).fill('Seen on the statement.');
  await card.getByRole('button', { name: 'It happened' }).dblclick();
  await settled(payments);
  await seen(page, `“It happened” is recorded for “Pay ${invoice}”.`);
  await phasesAre(payments, ['committed']);
  await seeWhatComes(payments);
  await seen(page, 'A person said that it happened.');
  await seen(page, '"receipt": 7');
  await seen(page, 'Seen on the statement.');
  await seen(page, `${invoice}: applied`);
  expect(await practice.effects()).toHaveLength(1);
  const [run] = await payRuns(payments);
  const detail = await call('handlerRuns.get', { handlerRunId: run?.id ?? '' });
  expect(detail.mutation?.resolutions).toMatchObject([{ status: 'done' }]);
}

/** With the keyboard alone. */
export async function sayItDidNotHappen(payments: Payments): Promise<void> {
  const { page, practice, invoice } = payments;
  await loseAnAnswer(payments);
  await openInbox(payments);
  await tabTo(page, /^It did not happen/);
  await page.keyboard.press('Enter');
  await settled(payments);
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  expect(focused).toContain(`is recorded for “Pay ${invoice}”`);
  await phasesAre(payments, ['committed', 'failed']);
  // It had happened: saying the contrary makes it happen again, and that is seen outside.
  const effects = await practice.effects();
  expect(effects).toHaveLength(2);
  expect(effects[1]?.key).toBe(effects[0]?.key);
  await tabTo(page, /^See what comes of it/);
  await page.keyboard.press('Enter');
  await seen(page, "You said that it didn't go through. Holdfast sends it in a new run.");
  await tabTo(page, /^Tried again as run/);
  await page.keyboard.press('Enter');
  await seen(page, 'It happened.');
  await page.getByText('Retry of').waitFor();
}

export async function sendItAgain(
  payments: Payments,
  lookAtDialog: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { page, practice, call, workflowId } = payments;
  await loseAnAnswer(payments);
  const card = await openInbox(payments);
  const dialog = page.getByRole('dialog', { name: 'Send it again?' });
  await card.getByRole('button', { name: 'Send again' }).click();
  await dialog.getByText(/may make it happen twice/).waitFor();
  await lookAtDialog();
  // The harmless way has the focus.
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await practice.effects()).toHaveLength(1);
  const { items } = await call('inbox.list', {});
  expect(items.filter((item) => item.workflowId === workflowId)).toMatchObject([
    { mutation: { resolutions: [] } },
  ]);

  await card.getByRole('button', { name: 'Send again' }).click();
  await dialog.getByRole('button', { name: /it may happen twice/ }).dblclick();
  await settled(payments);
  await phasesAre(payments, ['committed']);
  const effects = await practice.effects();
  expect(effects).toHaveLength(2);
  expect(effects[1]?.key).toBe(effects[0]?.key);
  await seeWhatComes(payments);
  await seen(page, /It happened\..* it may have happened twice\./);
  await page.getByRole('listitem').getByText('Send again').waitFor();
}

export async function skipIt(payments: Payments): Promise<void> {
  const { page, practice, invoice } = payments;
  await loseAnAnswer(payments);
  const card = await openInbox(payments);
  await card.getByRole('button', { name: 'Skip' }).click();
  await settled(payments);
  await phasesAre(payments, ['committed']);
  await seeWhatComes(payments);
  await seen(page, 'It was skipped. Whether it happened is not known.');
  await seen(page, `${invoice}: skipped`);
  await expect
    .poll(() => page.getByRole('link', { name: 'Settle it in the inbox' }).count())
    .toBe(0);
  expect(await practice.effects()).toHaveLength(1);
  // The next event is not held up by it, and a rerun is a new effect, on purpose.
  await publish(payments, 'invoice', 'the next invoice', { amount: 800 });
  await expect.poll(async () => (await practice.effects()).length).toBe(2);
  await page.getByRole('button', { name: `Run again… ${invoice}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
  await expect.poll(async () => (await practice.effects()).length).toBe(3);
  const keys = (await practice.effects()).map(({ key }) => key);
  expect(new Set(keys).size).toBe(3);
}
