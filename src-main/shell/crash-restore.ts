// Reloads the page when its renderer process crashes. After repeated crashes a person decides.
import type { WebContents } from 'electron';

const MAX_RELOADS = 3;
const WITHIN_MS = 60_000;

export function restoreAfterCrash(
  contents: WebContents,
  onRepeatedCrash: (reload: () => void) => void,
): void {
  let crashes: number[] = [];
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    const now = Date.now();
    crashes = [...crashes.filter((at) => at > now - WITHIN_MS), now];
    // Deferred, because Chromium is still tearing the old process down.
    const reload = (): void => void setImmediate(() => contents.isDestroyed() || contents.reload());
    if (crashes.length <= MAX_RELOADS) return reload();
    return onRepeatedCrash(() => {
      crashes = [];
      reload();
    });
  });
}
