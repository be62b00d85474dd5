// The editor as a person at the keyboard uses it.
import type { Page } from 'playwright-core';

export async function openEditor(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await editorShown(page);
}

export async function editorShown(page: Page): Promise<void> {
  await page.locator('.monaco-editor .view-line').first().waitFor();
}

/** Pasted: what is typed would be indented and its brackets closed. */
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

/** The text as the editor shows it; it draws spaces as no-break ones. */
export async function shownText(page: Page): Promise<string> {
  const lines = await page.locator('.monaco-editor .view-line').allTextContents();
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
