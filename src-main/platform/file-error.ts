// Errors of files in words instead of codes.

const WORDS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of the path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

export function explainFileError(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? (error instanceof Error ? error.message : String(error));
}
