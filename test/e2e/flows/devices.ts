// Two devices, each with its own window: pairing, settling on the other device, and a takeover after
// one is lost.
import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { seen, type AppWindow } from '#test/e2e/flows/app-window.ts';
import { cardOf, loseAnAnswer, payRuns, type Payments } from '#test/e2e/flows/payments.ts';

type Look = (page: Page, name: string) => Promise<void>;
const noLook: Look = () => Promise.resolve();

export const deviceCard = (page: Page, name: string): Locator =>
  page.getByRole('article', { name });

/** Starts with two devices that aren't paired. */
export async function pairByLink(
  here: AppWindow & { readonly name: string },
  there: AppWindow & { readonly name: string },
  look = noLook,
): Promise<void> {
  await here.open('/devices');
  await seen(here.page, 'No paired devices');
  await look(here.page, 'devices-empty');
  await here.page.getByRole('link', { name: 'Pair a device' }).first().click();
  const field = here.page.getByRole('textbox', { name: 'Pairing link' });
  await field.waitFor();
  const link = await field.inputValue();
  await here.page.getByRole('img', { name: 'The link as a QR code' }).waitFor();
  await seen(here.page, /Valid for (10:00|9:\d\d)/);
  await look(here.page, 'pair-link');

  await there.open('/devices/join');
  await there.page.getByRole('textbox', { name: 'Pairing link' }).fill(link);
  await seen(there.page, /This pairs with device \w{8} at 127\.0\.0\.1:/);
  await look(there.page, 'pair-join');
  await there.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await seen(there.page, `Paired with “${here.name}”`);
  await seen(here.page, `Paired with “${there.name}”`);
  await here.page.getByRole('link', { name: 'View devices' }).click();
  await deviceCard(here.page, there.name).getByText('In sync', { exact: true }).waitFor();
}

/** A reply to the owner is lost, and the person settles it on the other device. */
export async function settleFromOther(owner: Payments, there: AppWindow): Promise<void> {
  await loseAnAnswer(owner);
  await there.page.getByRole('link', { name: /Inbox/ }).click();
  const card = cardOf({ ...owner, page: there.page });
  await card.waitFor();
  await card.getByRole('button', { name: /It went through/ }).click();
  await expect.poll(async () => (await owner.call('inbox.list', {})).items.length).toBe(0);
  await seen(there.page, 'You’re all caught up');
  expect(await owner.practice.effects()).toHaveLength(1);
  const [paid] = await payRuns(owner);
  const { mutation } = await owner.call('handlerRuns.get', { handlerRunId: paid?.id ?? '' });
  const { deviceId } = await there.call('host.info', {});
  expect(mutation?.resolutions).toMatchObject([
    { resolution: 'user_assert_applied', status: 'done', deviceId },
  ]);
}

/** On the page of a workflow whose owner is gone, with a question open there. */
export async function takeOver(
  { page, call }: AppWindow,
  workflowId: string,
  { question, epoch }: { readonly question: string; readonly epoch: number },
  look = noLook,
): Promise<void> {
  await page.getByRole('button', { name: 'Take over…' }).click();
  const taking = page.getByRole('dialog', { name: 'Take over workflow' });
  await taking.getByText(/both devices may act and an effect may happen twice/).waitFor();
  await taking.getByText(question).waitFor();
  await taking.getByText('It keeps waiting for you.').waitFor();
  await look(page, 'take-over');
  await taking.getByRole('button', { name: 'Take over' }).click();
  await seen(page, 'This device runs this workflow.');
  await seen(page, new RegExp(`this device took it over \\(epoch ${epoch}\\)`));
  expect((await call('workflows.get', { workflowId })).owner).toMatchObject({
    isThisDevice: true,
    epoch,
  });
}
