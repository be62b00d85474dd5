import { expect, test } from 'vitest';
import { desktopEntry, isEntryOn } from '#main/shell/autostart-entry.ts';

const execOf = (...command: string[]): string =>
  /^Exec=(.*)$/m.exec(desktopEntry(command))?.[1] ?? '';

test('[SH-10] the entry quotes and escapes the words of the command', () => {
  expect(execOf('/opt/Holdfast/holdfast', '--hidden')).toBe('"/opt/Holdfast/holdfast" "--hidden"');
  expect(execOf('/a b/h', '50%')).toBe('"/a b/h" "50%%"');
  // Escaped inside the quotes, and again as the value of a key.
  expect(execOf('a"b')).toBe(String.raw`"a\\"b"`);
  expect(execOf('$HOME`x`')).toBe('"\\\\$HOME\\\\`x\\\\`"');
  expect(execOf('a\\b')).toBe(String.raw`"a\\\\b"`);
});

test('[SH-10] an entry that the desktop disabled counts as off', () => {
  const entry = desktopEntry(['holdfast']);
  expect(isEntryOn(entry)).toBe(true);
  expect(isEntryOn(`${entry}Hidden=true\n`)).toBe(false);
  expect(isEntryOn(entry.replace('enabled=true', 'enabled=false'))).toBe(false);
});
