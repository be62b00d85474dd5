// The layers of the design: which folder may import which. Checked by `npm run check:static`.

/** Folders of src-main, top to bottom. A folder imports only folders of lower rows, so no two folders
 * can import each other, directly or through others. */
const LAYERS = [
  ['cli', 'shell', 'testing'],
  ['host'],
  ['api'],
  ['inputs', 'practice'],
  ['authoring', 'observe'],
  ['engine', 'upkeep'],
  ['data-folder', 'input-lifecycle', 'tools'],
  ['runner', 'sync'],
  ['sandbox', 'store'],
  ['boundary', 'platform', 'secrets'],
];

const anyOf = (folders) => `^src-main/(${folders.join('|')})/`;

/** One rule per folder: nothing of its own row or of a row above. */
const folderRules = LAYERS.flatMap((row, index) =>
  row.map((folder) => ({
    name: `${folder}-imports-lower-layers-only`,
    severity: 'error',
    from: { path: anyOf([folder]) },
    to: {
      path: anyOf(
        LAYERS.slice(0, index + 1)
          .flat()
          .filter((other) => other !== folder),
      ),
    },
  })),
).filter(({ to }) => to.path !== anyOf([]));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'shared-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src-shared' },
      to: { path: '^(src-main|src-renderer|scripts|test|bench)' },
    },
    {
      name: 'shared-has-no-platform-code',
      comment: 'no Node, no DOM: the same code runs in the host, the window and the sandbox',
      severity: 'error',
      from: { path: '^src-shared' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'renderer-imports-shared-only',
      severity: 'error',
      from: { path: '^src-renderer' },
      to: { path: '^(src-main|scripts|test|bench)' },
    },
    {
      name: 'renderer-has-no-node',
      severity: 'error',
      from: { path: '^src-renderer' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'main-imports-no-renderer',
      severity: 'error',
      from: { path: '^src-main' },
      to: { path: '^(src-renderer|scripts|test|bench)' },
    },
    {
      name: 'only-the-shell-imports-electron',
      severity: 'error',
      from: { path: '^(src-main|src-shared|src-renderer)', pathNot: '^src-main/shell/' },
      to: { path: '(^|/)node_modules/electron(/|$)|^electron$' },
    },
    {
      name: 'engine-does-not-import-sync',
      comment: 'engine and sync communicate through the store; the other direction is a layer rule',
      severity: 'error',
      from: { path: '^src-main/engine' },
      to: { path: '^src-main/sync' },
    },
    {
      name: 'every-main-folder-has-a-layer',
      comment: 'add a new folder to LAYERS above',
      severity: 'error',
      from: {},
      to: { path: '^src-main/[^/]+/', pathNot: anyOf(LAYERS.flat()) },
    },
    {
      name: 'blackbox-imports-nothing-of-ours',
      comment: 'the suite knows the product only from outside; vitest runs its quick part',
      severity: 'error',
      from: { path: '^test/blackbox/' },
      to: {
        pathNot: '^test/blackbox/|(^|/)node_modules/vitest/|^vitest$',
        dependencyTypesNot: ['core'],
      },
    },
    ...folderRules,
    { name: 'no-circular-imports', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json'],
    },
  },
};
