// The window in Chromium on a real host with a long history: time to the first rows, key latency,
// blank frames while scrolling, and the cost of a busy feed. `--minutes N` sets how long the feed is
// busy: half a minute by default, while the memory bar is meant for ten.
import { medianOf, report, type Figure } from './harness.ts';
import { bundleSize, startToRows } from './ui/startup.ts';
import { busyFeed } from './ui/busy-feed.ts';
import { firstRows } from './ui/first-rows.ts';
import { keyLatency, scrolling } from './ui/keys-and-scrolling.ts';
import { openWindow } from './ui/bench-window.ts';

const ROUNDS = 3;

const at = process.argv.indexOf('--minutes');
const minutes = at === -1 ? 0.5 : Number(process.argv[at + 1]);
const window = await openWindow();
try {
  const rounds: Figure[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([
      ...(await firstRows(window)),
      await keyLatency(window),
      await scrolling(window),
      ...(await busyFeed(window, minutes)),
      await startToRows(window),
    ]);
  }
  report('ui', [...medianOf(rounds), bundleSize()]);
} finally {
  await window.close();
}
