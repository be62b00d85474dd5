// Turns a workflow object from a test into source text, because the sandbox runs files. Functions are
// converted with toString(), so they cannot use variables of the test.
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

/** The text of a method is valid only inside an object. */
function functionText(value: { readonly name: string }): string {
  const text = Function.prototype.toString.call(value);
  const isExpression = /^(async\s+)?(function\b|\(|[\w$]+\s*=>)/.test(text);
  return isExpression ? `(${text})` : `({ ${text} })[${JSON.stringify(value.name)}]`;
}
