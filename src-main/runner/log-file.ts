// Writes the log of one job: stdout and stderr in one file, in order of arrival, with backpressure.
// Output over the limit is read and discarded, so that the script neither blocks nor fills the disk.
import { appendFileSync, close, openSync, statSync, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StreamMask } from '#main/runner/log-mask.ts';
import type { Masker } from '#main/secrets/masker.ts';
import { wholeLength, type LogMark } from '#shared/runner/log-text.ts';

const writeFile = promisify(write);
const closeFile = promisify(close);

const RS = 0x1e;
const RS_BYTE = Buffer.from([RS]);

export interface LogEnd {
  readonly bytes: number;
  readonly dropped: number;
}

export interface LogOptions {
  readonly folder: string;
  readonly jobId: string;
  readonly maxBytes: number;
  readonly masker: Masker;
  /** Called after each write. */
  readonly onGrow: () => void;
}

export function logPath(folder: string, jobId: string): string {
  return join(folder, `${jobId}.log`);
}

/** Appends a line to the log of a job that has ended. Returns the new length. */
export function appendLogLine(folder: string, jobId: string, sentence: string): number {
  const path = logPath(folder, jobId);
  appendFileSync(path, `\n\u001e0[holdfast] ${sentence}\n`, { mode: 0o600 });
  return statSync(path).size;
}

export class LogFile {
  readonly #file: number;
  readonly #options: LogOptions;
  #source: LogMark | null = null;
  #bytes = 0;
  #dropped = 0;
  #isCut = false;
  /** A write failed. */
  #isBroken = false;
  #last: Promise<void> = Promise.resolve();

  constructor(options: LogOptions) {
    this.#options = options;
    this.#file = openSync(logPath(options.folder, options.jobId), 'wx', 0o600);
  }

  /** Copies a stream until it ends. */
  async copy(mark: LogMark, stream: AsyncIterable<Buffer>): Promise<void> {
    const mask = new StreamMask(this.#options.masker);
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of stream) {
      const masked = mask.push(chunk);
      const bytes = rest.length === 0 ? masked : Buffer.concat([rest, masked]);
      const whole = wholeCharacters(bytes);
      rest = bytes.subarray(whole);
      await this.#append(mark, bytes.subarray(0, whole));
    }
    await this.#append(mark, Buffer.concat([rest, mask.end()]));
  }

  /** Writes a line of Holdfast's own, even over the limit. */
  async writeLine(sentence: string): Promise<void> {
    const line = Buffer.from(`[holdfast] ${sentence}\n`);
    await this.#inTurn(() => this.#write('0', line));
  }

  async close(): Promise<LogEnd> {
    if (this.#isCut) await this.writeLine(`${this.#dropped} bytes of output were omitted.`);
    await this.#last;
    await closeFile(this.#file);
    return { bytes: this.#bytes, dropped: this.#dropped };
  }

  async #append(mark: LogMark, bytes: Buffer): Promise<void> {
    if (bytes.length > 0) await this.#inTurn(() => this.#writeWithin(mark, escaped(bytes)));
  }

  async #writeWithin(mark: LogMark, bytes: Buffer): Promise<void> {
    const room = this.#isCut ? 0 : this.#options.maxBytes - this.#bytes;
    if (bytes.length <= room) return this.#write(mark, bytes);
    const fits = bytes.subarray(0, Math.max(0, room));
    const written = fits.subarray(0, wholeLength(fits));
    this.#dropped += bytes.length - written.length;
    if (written.length > 0) await this.#write(mark, written);
    if (this.#isCut) return;
    this.#isCut = true;
    const sentence = `[holdfast] The log reached its limit of ${this.#options.maxBytes} bytes. The script keeps running.\n`;
    await this.#write('0', Buffer.from(`\n${sentence}`));
  }

  async #write(mark: LogMark, bytes: Buffer): Promise<void> {
    const marked =
      this.#source === mark ? bytes : Buffer.concat([RS_BYTE, Buffer.from(mark), bytes]);
    this.#source = mark;
    try {
      for (let at = 0; at < marked.length && !this.#isBroken;) {
        const { bytesWritten } = await writeFile(this.#file, marked, at);
        at += bytesWritten;
        this.#bytes += bytesWritten;
      }
    } catch {
      // Usually a full disk. The script keeps running; the missing bytes are counted.
      this.#isBroken = true;
      this.#isCut = true;
      this.#dropped += marked.length;
    }
    this.#options.onGrow();
  }

  /** Runs one write at a time, in the order of the calls. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done;
    return done;
  }
}

/** Unlike `wholeLength`, treats a final RS as complete, because RS is not yet escaped here. */
function wholeCharacters(bytes: Buffer): number {
  const whole = wholeLength(bytes);
  return whole < bytes.length && bytes[whole] === RS ? bytes.length : whole;
}

function escaped(bytes: Buffer): Buffer {
  if (!bytes.includes(RS)) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll('\u001e', '\u001e\u001e'), 'latin1');
}
