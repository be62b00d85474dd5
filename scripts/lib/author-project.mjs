// A workflow author's project next to an installed package, to compile and run code against it.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { inRepo } from './paths.mjs';
import { capture } from './processes.mjs';

const FILE = 'author.ts';

const STRICT = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    // Also checks our own declarations.
    skipLibCheck: false,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [inRepo('node_modules/@types')],
  },
  files: [FILE],
};

/**
 * @param {string} folder its `node_modules` contains `holdfast`
 * @returns {string} the author's folder
 */
export function createAuthorProject(folder) {
  const author = path.join(folder, 'author');
  mkdirSync(author);
  writeFileSync(path.join(author, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(path.join(author, 'tsconfig.json'), JSON.stringify(STRICT));
  copyFileSync(inRepo('scripts/pack-smoke', FILE), path.join(author, FILE));
  return author;
}

/** @param {string} author */
export function compileAsAuthor(author) {
  const compiler = inRepo('node_modules/typescript/bin/tsc');
  return capture(process.execPath, [compiler, '--project', '.'], { cwd: author });
}

/**
 * @param {string} author
 * @param {NodeJS.ProcessEnv} env
 */
export function testAsAuthor(author, env) {
  return capture(process.execPath, ['--test', FILE], { cwd: author, env });
}
