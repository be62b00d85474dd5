// What we ship of others may be shipped, is listed, and runs nothing where it is installed.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  installed,
  isAllowed,
  objection,
  withNeeds,
  type LockFile,
  type Shipped,
} from '#scripts/lib/licences.ts';
import { runNode } from '#test/support/processes.ts';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

const one = (facts: Partial<Shipped>): Shipped => ({
  name: 'rope',
  version: '1.0.0',
  licence: 'MIT',
  place: 'node_modules/rope',
  hasInstallScript: false,
  ...facts,
});

describe('what is shipped', () => {
  it('[PK-4] is listed as the lock file has it', async () => {
    expect(await runNode('scripts/licences.ts', ['--check'])).toMatchObject({ code: 0 });
  });

  it('[PK-4] is what is installed, and nothing of it runs a script', () => {
    const names = installed(lock).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'zod', 'nodemailer']));
    expect(names).not.toContain('vitest');
    expect(installed(lock).filter((each) => objection(each) !== undefined)).toEqual([]);
    const { config, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      config: { crsqlite: string };
      devDependencies: { [name: string]: string };
    };
    expect(config.crsqlite).toBe(devDependencies['@vlcn.io/crsqlite']);
  });

  it('[PK-4] has what it needs, from where Node would take it', () => {
    const packages = {
      'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '*' } },
      'node_modules/a/node_modules/b': {
        version: '2.0.0',
        license: 'ISC',
        dependencies: { c: '*' },
      },
      'node_modules/b': { version: '1.0.0', license: 'GPL-3.0-only' },
      'node_modules/c': { version: '3.0.0', license: 'MIT' },
    };
    const found = withNeeds({ packages }, ['a']).map(({ name, version }) => `${name} ${version}`);
    expect(found).toEqual(['a 1.0.0', 'b 2.0.0', 'c 3.0.0']);
    expect(() => withNeeds({ packages }, ['nobody'])).toThrow('does not have nobody');
  });
});

describe('refused', () => {
  it('[PK-4] an unknown licence, none at all, and what does not go with ours', () => {
    for (const licence of ['', 'SEE LICENSE IN x', 'GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0']) {
      expect(isAllowed(licence), licence).toBe(false);
      expect(objection(one({ licence }))).toContain('is not one that we may ship');
    }
    for (const licence of ['MIT', '(MIT OR EUPL-1.1+)', 'GPL-2.0 OR BSD-3-Clause', 'MIT AND ISC']) {
      expect(objection(one({ licence })), licence).toBeUndefined();
    }
  });

  it('[PK-4] a package that runs a script', () => {
    expect(objection(one({ hasInstallScript: true }))).toContain('wants to run a script');
  });
});
