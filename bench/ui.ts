// The window in Chromium on a real host with a long history: how soon rows are there, how soon a
// key is answered, whether scrolling shows blanks, and what a busy feed costs.
// `--minutes N`: how long the feed is busy (the bar for memory speaks of ten; default half a one).
import { report } from './harness.ts';
import { bundleSize, startToInteractive } from './ui/startup.ts';
import { busyFeed } from './ui/busy-feed.ts';
import { firstRows } from './ui/first-rows.ts';
import { keyAnswers, scrolling } from './ui/keys-and-scrolling.ts';
import { openWindow } from './ui/bench-window.ts';

const at = process.argv.indexOf('--minutes');
const minutes = at === -1 ? 0.5 : Number(process.argv[at + 1]);
const window = await openWindow();
try {
  report('ui', [
    ...(await firstRows(window)),
    await keyAnswers(window),
    await scrolling(window),
    ...(await busyFeed(window, minutes)),
    await startToInteractive(window),
    bundleSize(),
  ]);
} finally {
  await window.close();
}
