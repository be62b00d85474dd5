/** Quotes text so that a POSIX shell takes it literally. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
