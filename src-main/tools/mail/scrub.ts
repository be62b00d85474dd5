// What a server says goes into errors that people read and logs keep. A server may repeat what it
// was told, so passwords are taken out, in every form in which the protocols carry them.

import { MAX_REPLY_LENGTH } from '#main/tools/mail/limits.ts';

export type Scrub = (text: string) => string;

export function createScrub(user: string, password: string): Scrub {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const forms = [password, base64(`\0${user}\0${password}`), base64(password)]
    .flatMap((form) => [form, form.replace(/=+$/, '')])
    .filter((form) => form !== '')
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const clean = forms.reduce((rest, form) => rest.replaceAll(form, '(password)'), text);
    const line = clean
      .toWellFormed()
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim();
    return line.length > MAX_REPLY_LENGTH ? `${line.slice(0, MAX_REPLY_LENGTH)}…` : line;
  };
}
