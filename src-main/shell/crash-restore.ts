// A page whose process ends is loaded again, where it was. One that ends again and again is not:
// then a person decides.
import type { WebContents } from 'electron';

const MOST_RESTORES = 3;
const WITHIN_MS = 60_000;

export function restoreAfterCrash(
  contents: WebContents,
  onBroken: (tryAgain: () => void) => void,
): void {
  let crashes: number[] = [];
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    const now = Date.now();
    crashes = [...crashes.filter((at) => at > now - WITHIN_MS), now];
    // Not within the event: Chromium is still taking the old process down.
    const reload = (): void => void setImmediate(() => contents.isDestroyed() || contents.reload());
    if (crashes.length <= MOST_RESTORES) return reload();
    return onBroken(() => {
      crashes = [];
      reload();
    });
  });
}
