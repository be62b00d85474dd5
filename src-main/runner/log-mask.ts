// Masks secrets in a stream of byte chunks. The possible start of a secret is held back until the
// next chunk.
import type { Masker, Spelling } from '#main/secrets/masker.ts';

interface Needle {
  readonly text: string;
  readonly shown: string;
}

export class StreamMask {
  readonly #masker: Masker;
  #spellings: readonly Spelling[] = [];
  #needles: readonly Needle[] = [];
  #held = '';

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  push(chunk: Buffer): Buffer {
    this.#learn();
    if (this.#needles.length === 0 && this.#held === '') return chunk;
    // latin1 maps each byte to one character, so offsets stay and no byte is lost.
    const text = this.#held + chunk.toString('latin1');
    const from = this.#holdFrom(text);
    this.#held = text.slice(from);
    return this.#masked(text.slice(0, from));
  }

  end(): Buffer {
    const rest = this.#held;
    this.#held = '';
    return this.#masked(rest);
  }

  #learn(): void {
    const spellings = this.#masker.spellings();
    if (spellings === this.#spellings) return;
    this.#spellings = spellings;
    this.#needles = spellings.map(({ text, shown }) => ({
      text: bytesOf(text),
      shown: bytesOf(shown),
    }));
  }

  #masked(text: string): Buffer {
    let masked = text;
    for (const { text: needle, shown } of this.#needles) {
      if (masked.includes(needle)) masked = masked.replaceAll(needle, () => shown);
    }
    return Buffer.from(masked, 'latin1');
  }

  #holdFrom(text: string): number {
    let from = text.length;
    for (const { text: needle } of this.#needles) {
      for (
        let length = Math.min(needle.length - 1, text.length);
        length > text.length - from;
        length -= 1
      ) {
        if (needle.startsWith(text.slice(text.length - length))) from = text.length - length;
      }
    }
    // Don't split a complete secret that overlaps the held part.
    for (const { text: needle } of this.#needles) {
      const at = text.indexOf(needle, Math.max(0, from - needle.length + 1));
      if (at !== -1 && at < from) from = Math.max(from, at + needle.length);
    }
    return from;
  }
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
