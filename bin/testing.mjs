// `holdfast/testing`. Only what must happen before our TypeScript can run is here: the right Node,
// and cr-sqlite. The kit itself is in src-main/testing.

import { ensureCrsqlite } from '../scripts/setup-crsqlite.mjs';

const NEEDED_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  throw new Error(
    `holdfast/testing needs Node ${NEEDED_MAJOR} or newer, and this is Node ${process.versions.node}. Run your tests with "npm test" in a project that has Holdfast's Node, or install Node ${NEEDED_MAJOR}.`,
  );
}
process.env['HOLDFAST_CRSQLITE'] ??= await ensureCrsqlite();

export const { testWorkflow } = await import('../src-main/testing/test-workflow.ts');
