// The page of the practice service: what happened, for people.
import type { PracticeEffect } from '#main/practice/effects.ts';
import type { Fault } from '#main/practice/faults.ts';

const SHOWN = 200;

export function practicePage(
  effects: readonly PracticeEffect[],
  waiting: readonly Fault[],
): string {
  const timesOfKey = new Map<string, number>();
  for (const { key } of effects) {
    if (key !== null) timesOfKey.set(key, (timesOfKey.get(key) ?? 0) + 1);
  }
  const rows = effects
    .slice(-SHOWN)
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
<p>${sentence(effects.length)} ${faultSentence(waiting)}</p>
<table>
<caption>What happened, newest first</caption>
<thead><tr><th>No.</th><th>When</th><th>Effect</th><th>With</th><th>Idempotency-Key</th></tr></thead>
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

function sentence(count: number): string {
  if (count === 0) return 'Nothing happened yet.';
  return count === 1 ? 'One thing happened.' : `${count} things happened.`;
}

function faultSentence(waiting: readonly Fault[]): string {
  if (waiting.length === 0) return 'Nothing is set to go wrong.';
  return `Set to go wrong next: ${waiting.map(({ mode, times }) => `${mode} × ${times}`).join(', ')}.`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
