// Replaces secret values by their names in whatever is stored or shown. It never forgets a value:
// one that was replaced an hour ago may still be valid somewhere, and still turn up in an error.
import type { Json } from '#shared/json.ts';

export interface Spelling {
  readonly text: string;
  /** What is shown in its place. */
  readonly shown: string;
}

export interface Masker {
  /** All that is masked, the longest first; another list whenever one was learned. */
  spellings(): readonly Spelling[];
  learn(name: string, value: string): void;
  mask(text: string): string;
  /** The same value where there is nothing to mask. */
  maskJson(value: Json): Json;
}

/** Shorter texts are parts of ordinary words: masking them would hide everything. */
const MIN_LENGTH = 6;

export function canMask(value: string): boolean {
  return value.length >= MIN_LENGTH;
}

export function createMasker(): Masker {
  const names = new Map<string, string>();
  /** Longest first: a value that contains another is replaced as a whole. */
  let spellings: string[] = [];
  let listed: readonly Spelling[] = [];

  const occursIn = (text: string): boolean => spellings.some((spelling) => text.includes(spelling));

  function mask(text: string): string {
    let masked = text;
    for (const spelling of spellings) {
      if (masked.includes(spelling)) {
        masked = masked.replaceAll(spelling, () => shownFor(names.get(spelling)));
      }
    }
    return masked;
  }

  function maskWithin(value: Json): Json {
    if (typeof value === 'string') return mask(value);
    if (typeof value === 'number') return occursIn(String(value)) ? mask(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(maskWithin);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [mask(key), maskWithin(member)]),
    );
  }

  return {
    spellings: () => listed,
    learn(name, value) {
      const before = names.size;
      for (const spelling of spellingsOf(value)) {
        if (!names.has(spelling)) names.set(spelling, name);
      }
      if (names.size === before) return;
      spellings = [...names.keys()].toSorted((a, b) => b.length - a.length);
      listed = spellings.map((text) => ({ text, shown: shownFor(names.get(text)) }));
    },
    mask,
    maskJson(value) {
      // One search through the whole text is much cheaper than one through each of its strings.
      return spellings.length > 0 && occursIn(JSON.stringify(value)) ? maskWithin(value) : value;
    },
  };
}

function shownFor(name: string | undefined): string {
  return `•••(${name})`;
}

/** The ways in which a value turns up in addresses, headers, bodies and messages. */
function spellingsOf(value: string): string[] {
  // `user:password` is sent as one, and the password shown alone.
  const password = value.includes(':') ? value.slice(value.indexOf(':') + 1) : value;
  const forms = [value, password, value.trim()]
    .filter(canMask)
    .flatMap((text) => [
      text,
      encodeURIComponent(text.toWellFormed()),
      new URLSearchParams([['', text]]).toString().slice(1),
      JSON.stringify(text).slice(1, -1),
      ...base64Forms(text),
    ]);
  return [...new Set(forms.filter(canMask))];
}

/**
 * Base64 of a text inside a longer one begins at one of three places in a group of four letters.
 * The letters at both ends that depend on the neighbours are left out.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const inner = encoded.slice(
      Math.ceil((offset * 8) / 6),
      Math.floor(((offset + bytes.length) * 8) / 6),
    );
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
