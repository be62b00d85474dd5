// The four ways to settle an unknown outcome, each with the end of the run and the real effects.
import { expect } from 'vitest';
import { tabTo } from '#test/e2e/browser/browser.ts';
import { seen } from '#test/e2e/flows/app-window.ts';
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
  page.getByRole('link', { name: 'View result' }).click();

export async function sayItHappened(payments: Payments): Promise<void> {
  const { page, practice, call, invoice } = payments;
  await loseAnAnswer(payments);
  const card = await openInbox(payments);
  await card.getByText('Add a note or result').click();
  await card.getByRole('textbox', { name: 'Result' }).fill('{ "receipt": ');
  await card.getByRole('button', { name: 'It went through' }).click();
  await seen(page, /Invalid JSON/);
  await card.getByRole('textbox', { name: 'Result' }).fill('{ "receipt": 7 }');
  await card.getByRole('textbox', { name: 'Note' }).fill('Seen on the statement.');
  await card.getByRole('button', { name: 'It went through' }).dblclick();
  await settled(payments);
  await seen(page, `Saved “It went through” for “Pay ${invoice}”.`);
  await phasesAre(payments, ['committed']);
  await seeWhatComes(payments);
  await seen(page, 'You decided that it went through.');
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
  await tabTo(page, /^It didn’t/);
  await page.keyboard.press('Enter');
  await settled(payments);
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  expect(focused).toContain(`Saved “It didn’t” for “Pay ${invoice}”`);
  await phasesAre(payments, ['committed', 'failed']);
  // It did go through, so the wrong answer makes it happen twice.
  const effects = await practice.effects();
  expect(effects).toHaveLength(2);
  expect(effects[1]?.key).toBe(effects[0]?.key);
  await tabTo(page, /^View result/);
  await page.keyboard.press('Enter');
  await seen(page, "You said that it didn't go through. Holdfast sends it in a new run.");
  await tabTo(page, /^Retried as run/);
  await page.keyboard.press('Enter');
  await seen(page, 'It went through.');
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
  // Cancel has the focus.
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await practice.effects()).toHaveLength(1);
  const { items } = await call('inbox.list', {});
  expect(items.filter((item) => item.workflowId === workflowId)).toMatchObject([
    { mutation: { resolutions: [] } },
  ]);

  await card.getByRole('button', { name: 'Send again' }).click();
  await dialog.getByRole('button', { name: 'Send again anyway' }).dblclick();
  await settled(payments);
  await phasesAre(payments, ['committed']);
  const effects = await practice.effects();
  expect(effects).toHaveLength(2);
  expect(effects[1]?.key).toBe(effects[0]?.key);
  await seeWhatComes(payments);
  await seen(page, /It went through\..* it may have happened twice\./);
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
  await seen(page, 'You skipped it. The outcome is unknown.');
  await seen(page, `${invoice}: skipped`);
  await expect.poll(() => page.getByRole('link', { name: 'Settle in the inbox' }).count()).toBe(0);
  expect(await practice.effects()).toHaveLength(1);
  // The next event isn't blocked, and a rerun has a new effect.
  await publish(payments, 'invoice', 'the next invoice', { amount: 800 });
  await expect.poll(async () => (await practice.effects()).length).toBe(2);
  await page.getByRole('button', { name: `Rerun… ${invoice}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rerun' }).click();
  await expect.poll(async () => (await practice.effects()).length).toBe(3);
  const keys = (await practice.effects()).map(({ key }) => key);
  expect(new Set(keys).size).toBe(3);
}
