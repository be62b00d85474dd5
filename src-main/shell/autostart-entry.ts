// The desktop entry that starts Holdfast with a session, as the freedesktop specification has it.

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

/** Desktops switch an entry off by a line in it, and leave the file. */
export function isEntryOn(text: string): boolean {
  return !/^\s*(?:Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/im.test(text);
}

/**
 * Two layers: a quoted word escapes four characters, then the value of a key escapes backslashes.
 * A percent sign would be a field code.
 */
function quoteWord(word: string): string {
  const quoted = word.replaceAll(/["`$\\]/g, (sign) => `\\${sign}`).replaceAll('%', '%%');
  return `"${quoted.replaceAll('\\', '\\\\')}"`;
}
