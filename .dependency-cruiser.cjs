// The layers of DESIGN: who may import whom. A rule here is the only place where a layer is law.
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
      name: 'shared-knows-no-platform',
      comment: 'no node, no DOM: the same code runs in the host, the window and the sandbox',
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
      name: 'only-the-shell-knows-electron',
      severity: 'error',
      from: { path: '^(src-main|src-shared|src-renderer)', pathNot: '^src-main/shell/' },
      to: { path: '(^|/)node_modules/electron(/|$)|^electron$' },
    },
    {
      name: 'only-the-shell-starts-the-shell',
      severity: 'error',
      from: { path: '^src-main', pathNot: '^src-main/shell/' },
      to: { path: '^src-main/shell/' },
    },
    {
      name: 'engine-and-sync-speak-through-the-store',
      severity: 'error',
      from: { path: '^src-main/engine' },
      to: { path: '^src-main/sync' },
    },
    {
      name: 'sync-and-engine-speak-through-the-store',
      severity: 'error',
      from: { path: '^src-main/sync' },
      to: { path: '^src-main/engine' },
    },
    {
      name: 'the-store-stands-below',
      severity: 'error',
      from: { path: '^src-main/store' },
      to: { path: '^src-main/(api|cli|engine|inputs|runner|sync|tools|sandbox)/' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
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
