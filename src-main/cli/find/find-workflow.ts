// Finds a workflow by its name or an id prefix.
import type { HostClient } from '#main/cli/host-client.ts';
import { shortId } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export const WORKFLOW_HELP = 'Name of the workflow, or the beginning of its id';

export async function allWorkflows(host: HostClient): Promise<WorkflowView[]> {
  const found: WorkflowView[] = [];
  let after: string | null = null;
  do {
    const page: { workflows: WorkflowView[]; next: string | null } = await host.call(
      'workflows.list',
      { limit: MAX_PAGE_SIZE, ...(after === null ? {} : { after }) },
    );
    found.push(...page.workflows);
    after = page.next;
  } while (after !== null);
  return found;
}

export async function findWorkflow(host: HostClient, text: string): Promise<WorkflowView> {
  const all = await allWorkflows(host);
  const named = all.filter(({ name }) => name === text);
  const matches = named.length > 0 ? named : all.filter(({ id }) => id.startsWith(text));
  const [only] = matches;
  if (only && matches.length === 1) return only;
  throw new ApiError({
    type: 'not_found',
    message: only ? ambiguous(text, matches) : notFound(text),
  });
}

function ambiguous(text: string, matches: readonly WorkflowView[]): string {
  const ids = matches.map(({ id, path }) => `${shortId(id)} (${path ?? 'no file'})`).join(', ');
  return `"${text}" matches more than one workflow: ${ids}. Nothing was changed. Use the beginning of one id.`;
}

function notFound(text: string): string {
  return `There is no workflow "${text}". Nothing was changed. See "holdfast list".`;
}
