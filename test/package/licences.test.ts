// Third-party packages: allowed licences, a current list, and no code that runs on install.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  installed,
  isAllowed,
  npmRunsScript,
  objection,
  withDependencies,
  type LockFile,
  type Shipped,
} from '#scripts/lib/licences.ts';
import { runNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

const one = (facts: Partial<Shipped>): Shipped => ({
  name: 'rope',
  version: '1.0.0',
  licence: 'MIT',
  place: 'node_modules/rope',
  runsInstallScript: false,
  ...facts,
});

describe('shipped packages', () => {
  it('[PK-4] are listed in docs/licences.md as in the lock file', async () => {
    expect(await runNode('scripts/licences.ts', ['--check'])).toMatchObject({ code: 0 });
  });

  it('[PK-4] that npm installs have allowed licences and run no install script', () => {
    const names = installed(lock).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'zod', 'nodemailer']));
    expect(names).not.toContain('vitest');
    expect(installed(lock).filter((each) => objection(each) !== undefined)).toEqual([]);
  });

  it('[PK-4] include cr-sqlite with the same version in config and devDependencies of package.json', () => {
    const { config, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      config: { crsqlite: string };
      devDependencies: { [name: string]: string };
    };
    expect(config.crsqlite).toBe(devDependencies['@vlcn.io/crsqlite']);
  });

  it('[PK-4] include transitive dependencies, found by the module resolution of Node', () => {
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
    const found = withDependencies({ packages }, ['a']).map(
      ({ name, version }) => `${name} ${version}`,
    );
    expect(found).toEqual(['a 1.0.0', 'b 2.0.0', 'c 3.0.0']);
    expect(() => withDependencies({ packages }, ['nobody'])).toThrow('no nobody');
  });
});

describe('a package that may not be shipped', () => {
  it('[PK-4] has an unknown licence, no licence or an incompatible one', () => {
    for (const licence of ['', 'SEE LICENSE IN x', 'GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0']) {
      expect(isAllowed(licence), licence).toBe(false);
      expect(objection(one({ licence }))).toContain('is not a licence we may ship');
    }
    for (const licence of ['MIT', '(MIT OR EUPL-1.1+)', 'GPL-2.0 OR BSD-3-Clause', 'MIT AND ISC']) {
      expect(objection(one({ licence })), licence).toBeUndefined();
    }
  });

  it('[PK-4] runs a script when it is installed', () => {
    expect(objection(one({ runsInstallScript: true }))).toContain('runs a script');
  });
});

describe('install scripts', () => {
  it('[PK-4] are lifecycle scripts and the implicit build of binding.gyp', () => {
    const folder = tempFolder();
    const runs = (manifest: object): boolean => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
      return npmRunsScript(folder);
    };
    expect(runs({ scripts: { test: 'true' } })).toBe(false);
    for (const name of ['preinstall', 'install', 'postinstall']) {
      expect(runs({ scripts: { [name]: 'true' } }), name).toBe(true);
    }
    writeFileSync(join(folder, 'binding.gyp'), '{}');
    expect(runs({})).toBe(true);
    expect(runs({ gypfile: false })).toBe(false);
  });

  it('[PK-4] do not run in a clone: npm obeys the ignore-scripts of our .npmrc', () => {
    const folder = tempFolder();
    const dependency = join(folder, 'dependency');
    const mark = join(folder, 'ran');
    mkdirSync(dependency);
    const postinstall = `node -e "require('fs').writeFileSync('${mark}', '')"`;
    writeManifest(dependency, { name: 'dependency', version: '1.0.0', scripts: { postinstall } });
    npm(dependency, ['pack', '--silent']);
    const install = (name: string): boolean => {
      npm(join(folder, name), ['install', '../dependency/dependency-1.0.0.tgz']);
      return existsSync(mark);
    };
    for (const name of ['clone', 'plain']) {
      mkdirSync(join(folder, name));
      writeManifest(join(folder, name), { name, version: '1.0.0' });
    }
    cpSync('.npmrc', join(folder, 'clone', '.npmrc'));
    expect(install('clone')).toBe(false);
    // The same install without our .npmrc shows that the script is one that npm would run.
    expect(install('plain')).toBe(true);
  });
});

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}

/** npm without the settings that an `npm test` around this run passes on in its environment. */
function npm(cwd: string, args: readonly string[]): void {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(own), npm_config_userconfig: join(cwd, 'none') };
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--offline'], {
    cwd,
    env,
    stdio: 'pipe',
  });
}
