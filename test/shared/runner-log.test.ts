import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogScreen, type LogLine } from '#shared/runner/log-screen.ts';
import { LogParser, wholeLength } from '#shared/runner/log-text.ts';

function shown(...parts: readonly string[]): LogScreen {
  const screen = new LogScreen();
  for (const part of parts) screen.push(part);
  return screen;
}

const plain = (screen: LogScreen): string[] =>
  screen.lines.map(({ spans }) => spans.map(({ text }) => text).join(''));

/** Text and styles, independent of where spans start. */
const merged = (lines: readonly LogLine[]): string[] =>
  lines.map(({ source, spans }) => {
    let before = '';
    const text = spans.map((span) => {
      const style = JSON.stringify(span.style);
      const mark = style === before ? '' : style;
      before = style;
      return mark + span.text;
    });
    return `${source}:${text.join('')}`;
  });

describe('LogScreen', () => {
  test('[RX-11] applies colours and bold as terminals do', () => {
    const [line] = shown(
      'a\u001b[1;31mb\u001b[0m\u001b[38;5;208mc\u001b[38;2;1;2;3md\u001b[39;92me\u001b[48;5;1mf\u001b[mg\n',
    ).lines;
    expect(line?.spans).toEqual([
      { text: 'a', style: {} },
      { text: 'b', style: { bold: true, colour: 1 } },
      { text: 'c', style: { colour: '#ff8700' } },
      { text: 'd', style: { colour: '#010203' } },
      { text: 'e', style: { colour: 10 } },
      { text: 'f', style: { colour: 10 } },
      { text: 'g', style: {} },
    ]);
  });

  test('[RX-11] drops all other escape sequences and control characters', () => {
    const evil =
      'a\u001b[2Jb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d\u001b(Be\u0007f\u0000g\u009b5mh\u001b[5;5Hi\u007fj\u001bPq\u001b\\k\n';
    expect(plain(shown(evil))).toEqual(['abcdefg5mhijk']);
  });

  test('[RX-11] a line overwritten after a carriage return shows its last state', () => {
    expect(plain(shown('10 %\r50 %\r100 %\ndone\r\n'))).toEqual(['100 %', 'done']);
    expect(plain(shown('10 %\r', '\nnext'))).toEqual(['10 %', 'next']);
    expect(plain(shown('10 %\r', '20 %'))).toEqual(['20 %']);
  });

  test('[RX-5] each source has separate lines and colours', () => {
    const screen = shown('\u001e1\u001b[31mout \u001e2err\n\u001e1more\n\u001e0[holdfast] end\n');
    expect(merged(screen.lines)).toEqual([
      'stdout:{"colour":1}out ',
      'stderr:{}err',
      'stdout:{"colour":1}more',
      'holdfast:{}[holdfast] end',
    ]);
  });

  test('[RX-11] the result does not depend on chunk boundaries', () => {
    const bits = [
      'a',
      'bc\n',
      '\r',
      '\r\n',
      '\u001b[31m',
      '\u001b[0;1m',
      '\u001b]0;t\u0007',
      '\u001b[2K',
      '€',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...bits), { maxLength: 30 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (parts, sizes) => {
          const text = parts.join('');
          const cut: string[] = [];
          for (let at = 0; at < text.length;) {
            const size = sizes.next().value;
            cut.push(text.slice(at, at + size));
            at += size;
          }
          expect(merged(shown(...cut).lines)).toEqual(merged(shown(text).lines));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('[RX-11] limits the number of lines and their length', () => {
    const screen = new LogScreen();
    for (let n = 0; n < 300; n += 1) screen.push('x\n'.repeat(100));
    screen.push('y'.repeat(1_000_000));
    expect(screen.lines.length).toBe(5000);
    expect(screen.dropped).toBe(25_001);
    expect(plain(screen).at(-1)?.length).toBe(10_000);
  });

  test("[RX-5] marks in the script's output are text", () => {
    const parser = new LogParser();
    expect(parser.push('\u001e1a\u001e\u001e2b\u001e2c\u001e\u001e\u001e1d')).toEqual([
      { source: 'stdout', text: 'a\u001e2b' },
      { source: 'stderr', text: 'c\u001e' },
      { source: 'stdout', text: 'd' },
    ]);
  });
});

describe('wholeLength', () => {
  /** Each entry must stay whole: characters of each length, marks, and an RS of the output. */
  const WHOLE = ['a', 'é', '€', '😀', '\u001e1', '\u001e\u001e', '\u001e\u001e', '\u001e2', 'z'];

  test('[RX-7] no part of a log ends inside a character, a mark or a doubled RS', () => {
    const bytes = Buffer.from(WHOLE.join(''));
    const ends = WHOLE.map((_, index) => Buffer.byteLength(WHOLE.slice(0, index + 1).join('')));
    for (let length = 0; length <= bytes.length; length += 1) {
      const last = ends.findLast((end) => end <= length) ?? 0;
      expect(wholeLength(bytes.subarray(0, length)), `of ${length} bytes`).toBe(last);
    }
  });

  test('[RX-5] bytes that are no character count as one each', () => {
    for (const bytes of [[0xff], [0x80, 0x80, 0x80, 0x80], [0xc1], [0xf5]]) {
      expect(wholeLength(Buffer.from(bytes))).toBe(bytes.length);
    }
  });
});
