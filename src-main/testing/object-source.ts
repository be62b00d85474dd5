// A workflow that was written as an object in a test, as the file that it would be: the sandbox runs
// files. Its functions are taken by their text, so they know nothing of what stands around them.
import type { WorkflowDefinition } from '#shared/authoring/workflow.ts';

export function sourceOf(definition: WorkflowDefinition): string {
  return `import { workflow } from 'holdfast';\nexport default workflow(${textOf(definition)});\n`;
}

function textOf(value: unknown): string {
  if (typeof value === 'function') return functionText(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const parts = Object.entries(value).map(
    ([key, part]) => `${JSON.stringify(key)}: ${textOf(part)}`,
  );
  return `{ ${parts.join(',\n')} }`;
}

/** A method's text stands only within an object. */
function functionText(value: { readonly name: string }): string {
  const text = Function.prototype.toString.call(value);
  const standsAlone = /^(async\s+)?(function\b|\(|[\w$]+\s*=>)/.test(text);
  return standsAlone ? `(${text})` : `({ ${text} })[${JSON.stringify(value.name)}]`;
}
