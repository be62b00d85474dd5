// Server messages go into errors and logs. A server can echo what it received, so passwords are
// removed in every encoding that the protocols use.

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
