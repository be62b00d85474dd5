// Drives the editor by keyboard.
import type { Page } from 'playwright-core';

export async function openEditor(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await editorShown(page);
}

export async function editorShown(page: Page): Promise<void> {
  await page.locator('.monaco-editor .view-line').first().waitFor();
}

/** Pastes the text: typing would trigger indentation and closing brackets. */
export async function replaceText(page: Page, text: string): Promise<void> {
  await page.locator('.monaco-editor .view-lines').first().click();
  await page.keyboard.press('Control+a');
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const paste = { clipboardData, bubbles: true, cancelable: true };
    document.activeElement?.dispatchEvent(new ClipboardEvent('paste', paste));
  }, text);
}

/** The visible text, with the editor's non-breaking spaces replaced. */
export async function shownText(page: Page): Promise<string> {
  const lines = await page.locator('.monaco-editor .view-line').allTextContents();
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
