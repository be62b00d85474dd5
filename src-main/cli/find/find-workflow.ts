// The workflow that a person means: by its name, or by the beginning of its id.
import type { HostCalls } from '#main/cli/host-client.ts';
import { shortId } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export const WORKFLOW = 'its name, or the beginning of its id';

export async function allWorkflows(host: HostCalls): Promise<WorkflowView[]> {
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

export async function findWorkflow(host: HostCalls, text: string): Promise<WorkflowView> {
  const all = await allWorkflows(host);
  const named = all.filter(({ name }) => name === text);
  const fitting = named.length > 0 ? named : all.filter(({ id }) => id.startsWith(text));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  throw new ApiError({ type: 'not_found', message: only ? several(text, fitting) : none(text) });
}

function several(text: string, fitting: readonly WorkflowView[]): string {
  const ids = fitting.map(({ id, path }) => `${shortId(id)} (${path ?? 'no file'})`).join(', ');
  return `More than one workflow is meant by "${text}": ${ids}. Nothing was done. Say it by the beginning of its id.`;
}

function none(text: string): string {
  return `There is no workflow "${text}". See which there are with "holdfast list".`;
}
