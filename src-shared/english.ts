// English grammar for generated sentences.

/** Letters whose names begin with a vowel sound, for abbreviations: "an HTTP request". */
const SPOKEN_WITH_VOWEL = /^[AEFHILMNORSX](?=[A-Z]|\b)/;
const STARTS_WITH_VOWEL = /^(?:[aeio]|u(?!ni|s[aeiu]|til|biq)|hour|honest|heir)/i;
const SILENT_START = /^(?:one|once|eu)/i;

/** "an event", "a run", "a unit", "an hour": the article follows the sound. */
export function withArticle(noun: string): string {
  const isVowel =
    SPOKEN_WITH_VOWEL.test(noun) || (STARTS_WITH_VOWEL.test(noun) && !SILENT_START.test(noun));
  return `${isVowel ? 'an' : 'a'} ${noun}`;
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
