// Handlers of grants, secrets, the API token, disk usage and versions.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import type { ApiToken } from '#main/boundary/token.ts';
import type { Engine } from '#main/engine/engine.ts';
import { measureFolder } from '#main/api/views/folder-size.ts';
import type { HostVersions } from '#main/api/views/host-versions.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { Workflow } from '#main/store/tables/workflows.ts';
import type { settingsContract, WorkflowGrants } from '#shared/api/settings.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export interface SettingsHandlerDependencies {
  readonly engine: Engine;
  readonly secrets: SecretStore;
  readonly token: ApiToken;
  readonly dataDir: string;
  readonly versions: () => HostVersions;
}

type SettingsHandlers = Pick<Handlers, keyof typeof settingsContract>;

export function createSettingsHandlers({
  engine,
  secrets,
  token,
  dataDir,
  versions,
}: SettingsHandlerDependencies): SettingsHandlers {
  const { stores, tools } = engine.context;
  return {
    'grants.list': () => ({
      workflows: allWorkflows(engine)
        .map((workflow) => grantsOf(engine, workflow))
        .filter(({ grants, missing }) => grants.length + missing.length > 0),
      tools: tools.grantable(),
    }),
    'grants.revoke': ({ workflowId, tool }) => {
      if (!stores.workflows.get(workflowId)) {
        throw notFound('workflow', workflowId);
      }
      return { wasGranted: stores.grants.remove(workflowId, tool) };
    },
    'secrets.remove': async ({ name }) => ({ removed: await secrets.delete(name) }),
    'token.rotate': () => ({ token: token.rotate() }),
    'host.storage': async () => ({ dataDir, ...(await measureFolder(dataDir)) }),
    'host.versions': () => ({ ...versions() }),
  };
}

function grantsOf(engine: Engine, { id, name, handlerConfig }: Workflow): WorkflowGrants {
  const { stores, tools } = engine.context;
  const granted = stores.grants.list(id);
  const { uses = {} } = (handlerConfig ?? {}) as { uses?: { [tool: string]: Json } };
  const isDeclared = (tool: string, scope: Json): boolean =>
    Object.hasOwn(uses, tool) && canonicalJson(uses[tool] ?? null) === canonicalJson(scope);
  return {
    workflowId: id,
    name,
    isRunHere: engine.ownership.owns(id),
    grants: granted.map(({ tool, scope, grantedAt }) => ({
      tool,
      scope,
      description: tools.describeGrant(tool, scope),
      grantedAt,
      isAsked: isDeclared(tool, scope),
    })),
    missing: Object.entries(uses)
      .filter(([tool]) => !granted.some((grant) => grant.tool === tool))
      .map(([tool, scope]) => ({ tool, scope, description: tools.describeGrant(tool, scope) })),
  };
}

function allWorkflows(engine: Engine): Workflow[] {
  const found: Workflow[] = [];
  let after: string | undefined;
  do {
    const page = engine.context.stores.workflows.list({ after, limit: MAX_PAGE_SIZE });
    found.push(...page.workflows);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}
