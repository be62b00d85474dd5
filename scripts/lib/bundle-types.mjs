// Bundles the types of the npm package, one file per entry point (`holdfast`, `holdfast/testing`), so
// that it needs no sources.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { hashOf, readOrNull } from './build.mjs';
import { inRepo } from './paths.mjs';
import { sayOnStderr } from './processes.mjs';

const INPUTS = ['package-lock.json', 'src-main', 'src-shared', 'tsconfig.json'];

const ENTRIES = [
  { from: 'src-shared/authoring/workflow.ts', to: 'out/types/workflow.d.ts' },
  { from: 'src-main/testing/test-workflow.ts', to: 'out/types/testing.d.ts' },
];

/** @param {{ say?: import('./processes.mjs').Say }} [options] */
export async function ensureTypes({ say = sayOnStderr } = {}) {
  const stamp = inRepo('out', '.types-stamp');
  const hash = hashOf(INPUTS);
  if (readOrNull(stamp) === hash) return;
  say('bundling the types of the npm package into out/types');
  rmSync(stamp, { force: true });
  // Imported only when needed, because it loads the TypeScript compiler.
  const { generateDtsBundle } = await import('dts-bundle-generator');
  const texts = generateDtsBundle(
    ENTRIES.map(({ from }) => ({
      filePath: inRepo(from),
      libraries: { importedLibraries: ['zod'] },
      output: { noBanner: true, exportReferencedTypes: false },
    })),
    { preferredConfigPath: inRepo('tsconfig.json') },
  );
  for (const [index, { to }] of ENTRIES.entries()) {
    mkdirSync(path.dirname(inRepo(to)), { recursive: true });
    writeFileSync(inRepo(to), texts[index] ?? '');
  }
  writeFileSync(stamp, hash);
}
