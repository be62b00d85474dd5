/** As a shell takes it literally, whatever it holds. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
