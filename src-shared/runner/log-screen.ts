// A job log as styled lines, fed in chunks of any size. Only the last lines are retained.
import { finishedLength, PLAIN, restyle, tokenize, type TextStyle } from '#shared/runner/ansi.ts';
import { LogParser, type LogSource } from '#shared/runner/log-text.ts';

export interface LogSpan {
  readonly text: string;
  readonly style: TextStyle;
}

export interface LogLine {
  readonly source: LogSource;
  readonly spans: readonly LogSpan[];
}

interface OpenLine {
  readonly source: LogSource;
  readonly spans: LogSpan[];
  length: number;
  isOpen: boolean;
}

const MAX_LINES = 5000;
/** Longer lines are truncated, because rendering them is slow. */
const MAX_LINE_LENGTH = 10_000;

export class LogScreen {
  readonly #parser = new LogParser();
  readonly #lines: OpenLine[] = [];
  readonly #unfinished = new Map<LogSource, string>();
  readonly #styles = new Map<LogSource, TextStyle>();
  #dropped = 0;

  /** The retained lines; the first one has the number `dropped`. */
  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get dropped(): number {
    return this.#dropped;
  }

  push(data: string): void {
    for (const { source, text } of this.#parser.push(data)) this.#add(source, text);
    const over = this.#lines.length - MAX_LINES;
    if (over <= 0) return;
    this.#lines.splice(0, over);
    this.#dropped += over;
  }

  #add(source: LogSource, text: string): void {
    const whole = (this.#unfinished.get(source) ?? '') + text;
    // The character after a carriage return decides its meaning.
    const isReturn = whole.endsWith('\r');
    const end = isReturn ? whole.length - 1 : finishedLength(whole);
    this.#unfinished.set(source, whole.slice(end));
    for (const token of tokenize(whole.slice(0, end))) {
      if (token.type === 'text') this.#write(source, token.text);
      else this.#styles.set(source, restyle(this.#styleOf(source), token.parameters));
    }
  }

  #write(source: LogSource, text: string): void {
    const [first = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n');
    this.#extend(source, first);
    for (const part of rest) {
      this.#close(source);
      this.#extend(source, part);
    }
  }

  #extend(source: LogSource, text: string): void {
    const last = this.#lines.at(-1);
    if (text === '') return;
    // Output of the other source in the middle of a line starts a new line.
    const line = last?.isOpen && last.source === source ? last : this.#open(source);
    const parts = text.split('\r');
    if (parts.length > 1) {
      line.spans.length = 0;
      line.length = 0;
    }
    const shown = (parts.at(-1) ?? '').slice(0, MAX_LINE_LENGTH - line.length);
    if (shown === '') return;
    line.spans.push({ text: shown, style: this.#styleOf(source) });
    line.length += shown.length;
  }

  #close(source: LogSource): void {
    const last = this.#lines.at(-1);
    if (last?.isOpen && last.source === source) last.isOpen = false;
    else this.#open(source).isOpen = false;
  }

  #open(source: LogSource): OpenLine {
    const last = this.#lines.at(-1);
    if (last) last.isOpen = false;
    const line: OpenLine = { source, spans: [], length: 0, isOpen: true };
    this.#lines.push(line);
    return line;
  }

  #styleOf(source: LogSource): TextStyle {
    return this.#styles.get(source) ?? PLAIN;
  }
}
