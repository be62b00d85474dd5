// A workflow that pays at the practice service and loses a reply, which leaves one run for a person
// to settle.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import type { PracticeProcess } from '#test/e2e/browser/practice-process.ts';
import type { AppWindow } from '#test/e2e/flows/app-window.ts';

export interface Payments extends AppWindow {
  readonly practice: PracticeProcess;
  readonly workflowId: string;
  /** The file of the workflow. */
  readonly path: string;
  /** The invoice whose reply is lost. */
  readonly invoice: string;
}

let invoices = 6;

/** Adds a separate workflow, so that several flows can share one host. */
export async function addPayments(
  appWindow: AppWindow,
  practice: PracticeProcess,
  folder: string,
): Promise<Payments> {
  invoices += 1;
  const own = mkdtempSync(join(folder, 'payments-'));
  const path = writePaymentsWorkflow(own, practice.host, `payments-${invoices}`);
  const { workflowId } = await appWindow.call('workflows.add', { path });
  return { ...appWindow, practice, workflowId, path, invoice: `invoice ${invoices}` };
}

export const publish = (
  { call, workflowId }: Pick<Payments, 'call' | 'workflowId'>,
  topic: string,
  title: string,
  payload: Json,
) => call('events.publish', { workflowId, topic, messageId: crypto.randomUUID(), title, payload });

async function waiting({ call, workflowId }: Payments): Promise<number> {
  const { items } = await call('inbox.list', {});
  return items.filter((item) => item.workflowId === workflowId).length;
}

/** The practice service acts, then cuts the connection. */
export async function loseAnAnswer(payments: Payments): Promise<void> {
  await payments.practice.loseNextAnswer();
  await publish(payments, 'invoice', payments.invoice, { amount: 700 });
  await expect.poll(() => waiting(payments)).toBe(1);
}

export const cardOf = ({ page, invoice }: Payments): Locator =>
  page.getByRole('article', { name: `Pay ${invoice}` });

/** The window starts in the inbox when an item needs a person. */
export async function openInbox(payments: Payments): Promise<Locator> {
  await payments.open('/');
  await payments.page.waitForURL(/\/inbox$/);
  const card = cardOf(payments);
  await card.waitFor();
  return card;
}

export async function settled(payments: Payments): Promise<void> {
  await cardOf(payments).waitFor({ state: 'detached' });
  await expect.poll(() => waiting(payments)).toBe(0);
}

/** Newest first. */
export const payRuns = async ({ call, workflowId }: Payments): Promise<HandlerRunView[]> =>
  (await call('handlerRuns.list', { workflowId })).runs.filter(
    ({ handlerName }) => handlerName === 'pay',
  );

export const phasesAre = (payments: Payments, phases: readonly string[]) =>
  expect.poll(async () => (await payRuns(payments)).map(({ phase }) => phase)).toEqual(phases);
