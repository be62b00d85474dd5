// `holdfast/testing`. Only what must happen before our TypeScript can run is here: the right Node,
// and cr-sqlite. The kit itself is in src-main/testing.

import { existsSync } from 'node:fs';

import { ensureCrsqlite } from '../scripts/setup-crsqlite.mjs';

const NEEDED_MAJOR = 24;

/** A package has it built: Node takes no TypeScript from node_modules. */
const SOURCE = new URL('../src-main/testing/test-workflow.ts', import.meta.url);
const BUILT = new URL('../out/main/testing.js', import.meta.url);

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  throw new Error(
    `holdfast/testing needs Node ${NEEDED_MAJOR} or newer, and this is Node ${process.versions.node}. Run your tests with "npm test" in a project that has Holdfast's Node, or install Node ${NEEDED_MAJOR}.`,
  );
}
process.env['HOLDFAST_CRSQLITE'] ||= await ensureCrsqlite();

const kit = await import(existsSync(SOURCE) ? SOURCE.href : BUILT.href);

/** @type {typeof import('../src-main/testing/test-workflow.ts').testWorkflow} */
export const testWorkflow = kit.testWorkflow;
