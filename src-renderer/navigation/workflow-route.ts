// URLs of a workflow: its tab and the selected graph node.

export const WORKFLOW_TABS = ['overview', 'graph', 'versions', 'edit'] as const;
export type WorkflowTab = (typeof WORKFLOW_TABS)[number];

/** The selected topic or handler. */
export interface GraphNode {
  readonly kind: 'topic' | 'handler';
  readonly name: string;
}

export type WorkflowRoute =
  | {
      readonly page: 'workflow';
      readonly workflowId: string;
      readonly tab: WorkflowTab;
      readonly node: GraphNode | null;
    }
  | { readonly page: 'new-workflow' };

export const NEW_WORKFLOW_PATH = '/workflows/new';

export function workflowHref(
  workflowId: string,
  tab: WorkflowTab = 'overview',
  node: GraphNode | null = null,
): string {
  const path = `/workflows/${encodeURIComponent(workflowId)}`;
  const query = node === null ? '' : `?${new URLSearchParams({ [node.kind]: node.name })}`;
  return `${path}${tab === 'overview' ? '' : `/${tab}`}${query}`;
}

export function parseWorkflowRoute(
  path: string,
  query: URLSearchParams,
  decode: (text: string) => string | null,
): WorkflowRoute | null {
  if (path === NEW_WORKFLOW_PATH) return { page: 'new-workflow' };
  const [, id, word = 'overview'] = /^\/workflows\/([^/]+)(?:\/([a-z]+))?$/.exec(path) ?? [];
  const workflowId = id === undefined ? null : decode(id);
  const tab = WORKFLOW_TABS.find((known) => known === word);
  if (workflowId === null || tab === undefined) return null;
  return { page: 'workflow', workflowId, tab, node: parseNode(query) };
}

function parseNode(query: URLSearchParams): GraphNode | null {
  for (const kind of ['topic', 'handler'] as const) {
    const name = query.get(kind);
    if (name) return { kind, name };
  }
  return null;
}
