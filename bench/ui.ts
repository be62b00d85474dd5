// The window in Chromium on a real host with a long history: how soon rows are there, how soon a
// key is answered, whether scrolling shows blanks, and what a busy feed costs.
// `--minutes N`: how long the feed is busy (the bar for memory speaks of ten; default half a one).
import { medianOf, report, type Figure } from './harness.ts';
import { bundleSize, startToInteractive } from './ui/start.ts';
import { busyFeed } from './ui/busy-feed.ts';
import { firstRows } from './ui/first-rows.ts';
import { keyAnswers, scrolling } from './ui/hands.ts';
import { openWindow } from './ui/window.ts';

const ROUNDS = 3;

const at = process.argv.indexOf('--minutes');
const minutes = at === -1 ? 0.5 : Number(process.argv[at + 1]);
const window = await openWindow();
try {
  const rounds: Figure[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([
      ...(await firstRows(window)),
      await keyAnswers(window),
      await scrolling(window),
      ...(await busyFeed(window, minutes)),
      await startToInteractive(window),
    ]);
  }
  report('ui', [...medianOf(rounds), bundleSize()]);
} finally {
  await window.close();
}
