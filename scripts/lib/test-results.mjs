// Where a complete run of a suite leaves its results for `npm run spec-coverage`.

import path from 'node:path';

import { cacheFolder } from './paths.mjs';

/** @typedef {{ name: 'quick' | 'slow', command: string }} Suite */

/** @type {readonly Suite[]} */
export const SUITES = [
  { name: 'quick', command: 'npm test' },
  { name: 'slow', command: 'npm run test:slow' },
];

/** @param {Pick<Suite, 'name'>} suite */
export function resultsFile({ name }) {
  return path.join(cacheFolder('test-results'), `${name}.json`);
}
