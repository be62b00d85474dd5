// What two grants of each tool both allow.
import { describe, expect, it } from 'vitest';
import { narrowGrants } from '#main/tools/narrow-grants.ts';
import { createTools } from '#main/tools/registry.ts';
import type { Runner } from '#main/runner/runner.ts';
import type { Json } from '#shared/json.ts';

const tools = createTools({
  notifier: async () => undefined,
  dataDir: '/data',
  runner: {} as Runner,
});

const narrow = (tool: string, current: Json, frozen: Json): Json | undefined =>
  narrowGrants(tools, { [tool]: current }, { [tool]: frozen })[tool];

const sorted = (grant: Json | undefined): unknown =>
  grant &&
  Object.fromEntries(
    Object.entries(grant).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.toSorted((a, b) => String(a).localeCompare(String(b))) : value,
    ]),
  );

const account = {
  smtp: { host: 'smtp.example.org', port: 465, user: 'u' },
  imap: { host: 'imap.example.org', port: 993, user: 'u' },
  from: 'u@example.org',
  passwordSecret: 'mail',
};
const mailTo = (...allowRecipients: string[]): Json => ({
  account: { ...account, allowRecipients },
});

describe('narrowing grants', () => {
  it.each<[string, string, Json, Json, Json | undefined]>([
    [
      'hosts in both',
      'http',
      { hosts: ['a.org', 'b.org'] },
      { hosts: ['b.org', 'c.org'] },
      { hosts: ['b.org'] },
    ],
    [
      'a host below a pattern',
      'http',
      { hosts: ['*.a.org'] },
      { hosts: ['x.a.org'] },
      { hosts: ['x.a.org'] },
    ],
    [
      'the host itself is not below its pattern',
      'feed',
      { hosts: ['*.a.org'] },
      { hosts: ['a.org'] },
      undefined,
    ],
    ['a port', 'http', { hosts: ['a.org:8080'] }, { hosts: ['a.org'] }, undefined],
    [
      'folders inside folders',
      'files',
      { folders: ['/x', '/y/z'] },
      { folders: ['/x/in', '/y'] },
      { folders: ['/y/z', '/x/in'], readOnly: false },
    ],
    [
      'reading only',
      'files',
      { folders: ['/x'], readOnly: true },
      { folders: ['/x'] },
      { folders: ['/x'], readOnly: true },
    ],
    ['no folder', 'files', { folders: ['/xy'] }, { folders: ['/x'] }, undefined],
    ['scripts', 'runner', { scripts: ['a', 'b'] }, { scripts: ['b'] }, { scripts: ['b'] }],
    ['no script', 'runner', { scripts: ['a'] }, { scripts: ['b'] }, undefined],
    ['notices', 'notify', {}, {}, {}],
  ])('[PO-2] %s', (_what, tool, current, frozen, both) => {
    expect(sorted(narrow(tool, current, frozen))).toEqual(sorted(both));
    expect(sorted(narrow(tool, frozen, current))).toEqual(sorted(both));
  });

  it('[PO-2] recipients in both, and no mail at all from another account or with another secret', () => {
    const recipientsOf = (one: Json, other: Json): unknown =>
      (narrow('mail', one, other) as { account: { allowRecipients?: string[] } } | undefined)
        ?.account.allowRecipients;
    expect(recipientsOf(mailTo('*@a.org', 'x@b.org'), mailTo('me@a.org', '*@b.org'))).toEqual([
      'x@b.org',
      'me@a.org',
    ]);
    expect(recipientsOf({ account }, mailTo('me@a.org'))).toEqual(['me@a.org']);
    expect(narrow('mail', mailTo('a@a.org'), mailTo('b@a.org'))).toBe(undefined);
    const other = { account: { ...account, passwordSecret: 'other' } };
    expect(narrow('mail', { account }, other)).toBe(undefined);
  });

  it('[PO-2] a tool that only one of them has is not allowed, and equal grants stay the same object', () => {
    const current = { http: { hosts: ['a.org'] }, notify: {} };
    expect(narrowGrants(tools, current, { http: { hosts: ['a.org'] } })).toEqual({
      http: { hosts: ['a.org'] },
    });
    expect(narrowGrants(tools, current, structuredClone(current))).toBe(current);
    expect(narrowGrants(tools, { gone: {} }, { gone: { x: 1 } })).toEqual({});
  });
});
