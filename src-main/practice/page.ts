// The HTML page of the practice service.
import type { PracticeEffect } from '#main/practice/effects.ts';
import type { Fault } from '#main/practice/faults.ts';

const MAX_ROWS = 200;

export function practicePage(effects: readonly PracticeEffect[], faults: readonly Fault[]): string {
  const timesOfKey = new Map<string, number>();
  for (const { key } of effects) {
    if (key !== null) timesOfKey.set(key, (timesOfKey.get(key) ?? 0) + 1);
  }
  const rows = effects
    .slice(-MAX_ROWS)
    .toReversed()
    .map((effect) => row(effect, timesOfKey));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Practice service</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color-scheme: light dark }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8886; overflow-wrap: anywhere }
</style>
<h1>Practice service</h1>
<p>${effectCount(effects.length)} ${describeFaults(faults)}</p>
<table>
<caption>Effects, newest first</caption>
<thead><tr><th>No.</th><th>Time</th><th>Effect</th><th>Body</th><th>Idempotency-Key</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</html>
`;
}

function row(effect: PracticeEffect, timesOfKey: ReadonlyMap<string, number>): string {
  const times = effect.key === null ? 1 : (timesOfKey.get(effect.key) ?? 1);
  const key = `${effect.key ?? 'none'}${times > 1 ? ` (${times} times)` : ''}`;
  const body = JSON.stringify(effect.body).slice(0, 500);
  const cells = [String(effect.number), effect.at, effect.name, body, key];
  return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
}

function effectCount(count: number): string {
  if (count === 0) return 'No effects yet.';
  return count === 1 ? '1 effect.' : `${count} effects.`;
}

function describeFaults(faults: readonly Fault[]): string {
  if (faults.length === 0) return 'No faults queued.';
  return `Next faults: ${faults.map(({ mode, times }) => `${mode} × ${times}`).join(', ')}.`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
