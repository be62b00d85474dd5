// An author's project beside an installed package: does what they write compile, and does it run?

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
    // Our own declarations are looked at, too.
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
 * @param {string} folder whose `node_modules` has `holdfast`
 * @returns {string} the author's folder
 */
export function settleAuthor(folder) {
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
