// The reader of the pages finds their errors and changes nothing outside its home folder.
import { expect, test } from 'vitest';
import { blocksOf, type Block } from '#test/docs/blocks.ts';
import { Reader } from '#test/docs/reader.ts';

const sh = (text: string, notes: Block['notes'] = {}): Block => ({
  language: 'sh',
  text,
  line: 7,
  notes,
});

test('[DC-1] blocks come with the comments right before them, and no others', () => {
  const page = [
    '<!-- not run: of another block -->',
    'Words in between.',
    '```sh',
    'one',
    '```',
    '',
    '<!-- file: a.ts -->',
    '',
    '```ts',
    'two',
    '',
    'three',
    '```',
  ].join('\n');
  expect(blocksOf(page)).toEqual([
    { language: 'sh', text: 'one\n', line: 3, notes: {} },
    { language: 'ts', text: 'two\n\nthree\n', line: 9, notes: { file: 'a.ts' } },
  ]);
  expect(() => blocksOf('<!-- not runn: a mistake -->')).toThrow('means nothing here');
});

test('[DC-1] a command that fails, or does not show what it should, fails the page', async () => {
  const reader = await Reader.settle();
  await reader.follow(sh('echo fine'));
  await reader.follow(sh('echo fine', { shows: 'fin' }));
  await reader.follow(sh('exit 3', { exits: '3' }));
  await expect(reader.follow(sh('false\ntrue'))).rejects.toThrow('line 7: ended with 1');
  await expect(reader.follow(sh('echo no >&2; exit 3'))).rejects.toThrow('no');
  await expect(reader.follow(sh('true', { exits: '1' }))).rejects.toThrow('ended with 0');
  await expect(reader.follow(sh('echo x', { 'keeps running': 'ready' }))).rejects.toThrow(
    'it ended',
  );
});

test('[DC-1] commands that reach outside the home of the reader are not run', async () => {
  const reader = await Reader.settle();
  const beyond = ['sudo true', 'cp -r . /opt/x/y', 'echo x > "/etc/y/z"', 'npm ci', 'podman ps'];
  for (const text of beyond) {
    await expect(reader.follow(sh(text)), text).rejects.toThrow('would change this machine');
  }
});
