/** Adds a full stop; messages of the JavaScript engine have none. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
