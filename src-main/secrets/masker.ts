// Replaces secret values by their names in text that is stored or shown. Values are never forgotten:
// a secret that was replaced may still be valid elsewhere and appear in an error.
import type { Json } from '#shared/json.ts';

export interface Spelling {
  readonly text: string;
  /** Replacement text. */
  readonly shown: string;
}

export interface Masker {
  /** All masked texts, longest first. A new array after each `learn` that added one. */
  spellings(): readonly Spelling[];
  learn(name: string, value: string): void;
  mask(text: string): string;
  /** Returns the same object if nothing is masked. */
  maskJson(value: Json): Json;
}

/** Shorter values occur inside ordinary words. */
const MIN_LENGTH = 6;

export function canMask(value: string): boolean {
  return value.length >= MIN_LENGTH;
}

export function createMasker(): Masker {
  const names = new Map<string, string>();
  /** Longest first, so that a value that contains another is replaced as a whole. */
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
      // Searching the serialized text once is much cheaper than searching each string.
      return spellings.length > 0 && occursIn(JSON.stringify(value)) ? maskWithin(value) : value;
    },
  };
}

function shownFor(name: string | undefined): string {
  return `•••(${name})`;
}

/** Encodings in which a value appears in URLs, headers, bodies and messages. */
function spellingsOf(value: string): string[] {
  // `user:password` is sent as one value, but the password may appear alone.
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
 * Inside a longer Base64 text the value starts at one of three offsets of a four-letter group.
 * Letters at both ends that also encode neighboring bytes are left out.
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
