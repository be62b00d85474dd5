/** What the engine of the script says of it ends without a full stop. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
