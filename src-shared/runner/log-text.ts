// The format of job logs: the script's output byte for byte, with a mark wherever the source changes. A
// mark is RS (0x1e) and one digit; an RS in the output is written twice, so that output cannot be
// mistaken for a mark.

const RS = 0x1e;
export const RS_CHARACTER = '\u001e';

export const LOG_SOURCES = { '0': 'holdfast', '1': 'stdout', '2': 'stderr' } as const;
export type LogMark = keyof typeof LOG_SOURCES;
export type LogSource = (typeof LOG_SOURCES)[LogMark];

export interface LogPiece {
  readonly source: LogSource;
  readonly text: string;
}

/** Parses a log from any position; text before the first mark counts as stdout. */
export class LogParser {
  #source: LogSource = 'stdout';

  /** `text` must not end between an RS and its second character; the host never cuts there. */
  push(text: string): LogPiece[] {
    const pieces: LogPiece[] = [];
    let piece = '';
    const finish = (): void => {
      if (piece !== '') pieces.push({ source: this.#source, text: piece });
      piece = '';
    };
    for (let at = 0; at < text.length;) {
      const mark = text.indexOf(RS_CHARACTER, at);
      if (mark === -1) {
        piece += text.slice(at);
        break;
      }
      piece += text.slice(at, mark);
      const after = text[mark + 1] ?? '';
      if (after in LOG_SOURCES) {
        finish();
        this.#source = LOG_SOURCES[after as LogMark];
      } else piece += RS_CHARACTER;
      at = mark + (after in LOG_SOURCES || after === RS_CHARACTER ? 2 : 1);
    }
    finish();
    return pieces;
  }
}

/** The number of bytes before an incomplete character or mark at the end. */
export function wholeLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? end - back : end - halfMark(bytes);
  }
  return end - halfMark(bytes);
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}

/** Marks and doubled RS have two bytes each, so an odd number of RS at the end is incomplete. */
function halfMark(bytes: Uint8Array): number {
  let run = 0;
  while (run < bytes.length && bytes[bytes.length - 1 - run] === RS) run += 1;
  return run % 2;
}
