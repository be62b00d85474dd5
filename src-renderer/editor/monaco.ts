// Monaco with only the languages of workflow files, workers from our own origin, and the authoring
// types. Large, so import it lazily.
import * as monaco from 'monaco-editor/editor/editor.api.js';
import 'monaco-editor/features/register.all.js';
import 'monaco-editor/languages/definitions/javascript/register.js';
import 'monaco-editor/languages/definitions/typescript/register.js';
import {
  javascriptDefaults,
  ModuleKind,
  ModuleResolutionKind,
  ScriptTarget,
  typescriptDefaults,
} from 'monaco-editor/languages/features/typescript/register.js';
// oxlint-disable-next-line import/default -- the build provides the file's text.
import toolTypes from '#shared/authoring/tool-types.ts?raw';
// oxlint-disable-next-line import/default -- the build provides the file's text.
import workflowTypes from '#shared/authoring/workflow.ts?raw';
import { syncMonacoTheme } from '#renderer/editor/monaco-theme.ts';

// Monaco would start its workers from blobs, which our CSP forbids.
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) =>
    label === 'typescript' || label === 'javascript'
      ? new Worker(
          new URL('monaco-editor/languages/features/typescript/ts.worker.js', import.meta.url),
          { type: 'module' },
        )
      : new Worker(new URL('monaco-editor/editor/editor.worker.js', import.meta.url), {
          type: 'module',
        }),
};

/** Where `import … from 'holdfast'` resolves. */
const PACKAGE = 'file:///node_modules/holdfast';

/** The only global of browsers and Node that a workflow has. */
const CONSOLE = `declare const console: {
  debug(...values: unknown[]): void;
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};`;

for (const defaults of [typescriptDefaults, javascriptDefaults]) {
  defaults.setCompilerOptions({
    target: ScriptTarget.ESNext,
    module: ModuleKind.ESNext,
    moduleResolution: ModuleResolutionKind.NodeJs,
    lib: ['es2023'],
    allowNonTsExtensions: true,
    allowJs: true,
    strict: true,
    noEmit: true,
  });
  defaults.addExtraLib(CONSOLE, 'file:///console.d.ts');
  defaults.addExtraLib(toolTypes, `${PACKAGE}/tool-types.ts`);
  defaults.addExtraLib(
    workflowTypes.replaceAll('#shared/authoring/tool-types.ts', './tool-types'),
    `${PACKAGE}/index.ts`,
  );
}

syncMonacoTheme(monaco);

export { monaco };
