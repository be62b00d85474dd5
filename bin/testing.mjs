// `holdfast/testing`: checks the Node version and prepares cr-sqlite, then loads src-main/testing.

import { existsSync } from 'node:fs';

import { ensureCrsqlite } from '../scripts/setup-crsqlite.mjs';

const NEEDED_MAJOR = 24;

/** Packages contain the compiled file, because Node does not run TypeScript from node_modules. */
const SOURCE = new URL('../src-main/testing/test-workflow.ts', import.meta.url);
const BUILT = new URL('../out/main/testing.js', import.meta.url);

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  throw new Error(
    `holdfast/testing needs Node ${NEEDED_MAJOR} or newer; this is Node ${process.versions.node}. Install Node ${NEEDED_MAJOR}, or run your tests with "npm test" in a project that includes Holdfast's Node.`,
  );
}
process.env['HOLDFAST_CRSQLITE'] ||= await ensureCrsqlite();

const kit = await import(existsSync(SOURCE) ? SOURCE.href : BUILT.href);

/** @type {typeof import('../src-main/testing/test-workflow.ts').testWorkflow} */
export const testWorkflow = kit.testWorkflow;
