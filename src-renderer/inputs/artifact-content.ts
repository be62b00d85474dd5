// Artifact content in the window: base64 in calls, text or a file for the person.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Null if it is not text. */
export function textOf(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(base64));
  } catch {
    return null;
  }
}

export async function toBase64(file: Blob): Promise<string> {
  const content = new Uint8Array(await file.arrayBuffer());
  let characters = '';
  for (const byte of content) characters += String.fromCharCode(byte);
  return btoa(characters);
}

/** The browser or Electron asks where to save it. */
export function saveFile(name: string, base64: string): void {
  // Never the type of the artifact: a page of a peer must not run with the rights of this one.
  const url = URL.createObjectURL(new Blob([bytesOf(base64)]));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun with the click.
  setTimeout(() => URL.revokeObjectURL(url));
}
