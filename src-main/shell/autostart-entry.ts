// The autostart file for Linux, in the format of the freedesktop Desktop Entry specification.

export function desktopEntry(command: readonly string[]): string {
  return `${[
    '[Desktop Entry]',
    'Type=Application',
    'Name=Holdfast',
    'Comment=Durable automation on your own machines',
    `Exec=${command.map(quoteWord).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
  ].join('\n')}\n`;
}

/** Desktops disable an entry by adding a line to it. */
export function isEntryOn(text: string): boolean {
  return !/^\s*(?:Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/im.test(text);
}

/**
 * Two layers of escaping: four characters inside the quoted word, then every backslash in the value.
 * A percent sign would start a field code.
 */
function quoteWord(word: string): string {
  const quoted = word.replaceAll(/["`$\\]/g, (sign) => `\\${sign}`).replaceAll('%', '%%');
  return `"${quoted.replaceAll('\\', '\\\\')}"`;
}
