// Handlers of grants, secrets, the API token, disk usage and versions.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import type { RunnerTokens } from '#main/boundary/runner-tokens.ts';
import type { ApiToken } from '#main/boundary/token.ts';
import type { Engine } from '#main/engine/engine.ts';
import { readNeedsHuman, saveNeedsHuman } from '#main/input-lifecycle/needs-human-rule.ts';
import type { LogLevel } from '#main/observe/log-level.ts';
import { measureFolder } from '#main/api/views/folder-size.ts';
import type { HostVersions } from '#main/api/views/host-versions.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { Workflow } from '#main/store/tables/workflows.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { FlagView, settingsContract, WorkflowGrants } from '#shared/api/settings.ts';
import { FLAG_DEFINITIONS, FLAG_NAMES, freezeFlags } from '#shared/flags.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export interface SettingsHandlerDependencies {
  readonly engine: Engine;
  readonly secrets: SecretStore;
  readonly token: ApiToken;
  readonly runnerTokens: RunnerTokens;
  readonly dataDir: string;
  readonly versions: () => HostVersions;
  readonly logLevel: LogLevel;
}

type SettingsHandlers = Pick<Handlers, keyof typeof settingsContract>;

export function createSettingsHandlers({
  engine,
  secrets,
  token,
  runnerTokens,
  dataDir,
  versions,
  logLevel,
}: SettingsHandlerDependencies): SettingsHandlers {
  const { stores, tools } = engine.context;
  return {
    'log.get': () => logLevel.view,
    'log.choose': ({ level }) => {
      logLevel.choose(level);
      return logLevel.view;
    },
    'flags.list': () => ({ flags: flagsOf(engine) }),
    'flags.set': ({ name, isOn }) => {
      const { settings } = stores;
      const { db } = engine.context.store;
      db.write(() => {
        const chosen = freezeFlags(settings.get('flags') as Record<string, unknown>);
        settings.set('flags', { ...chosen, [name]: isOn });
      });
      return { flags: flagsOf(engine) };
    },
    'needsHuman.get': () => readNeedsHuman(stores),
    'needsHuman.choose': (rule) => {
      saveNeedsHuman(stores, rule);
      return readNeedsHuman(stores);
    },
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
    'tokens.names': () => ({ names: runnerTokens.names() }),
    'tokens.add': ({ name }) => {
      const added = runnerTokens.add(name);
      if (added !== null) return { token: added };
      throw new ApiError({
        type: 'conflict',
        message: `There is a token "${name}" already. Nothing was changed. Remove it first, or choose another name.`,
      });
    },
    'tokens.remove': ({ name }) => ({ removed: runnerTokens.remove(name) }),
    'host.storage': async () => ({ dataDir, ...(await measureFolder(dataDir)) }),
    'host.versions': () => ({ ...versions() }),
  };
}

function flagsOf({ context }: Engine): FlagView[] {
  const flags = freezeFlags(context.stores.settings.get('flags') as Record<string, unknown>);
  return FLAG_NAMES.map((name) => ({
    name,
    meaning: FLAG_DEFINITIONS[name].meaning,
    isOn: flags[name],
    isOnByDefault: FLAG_DEFINITIONS[name].default,
  }));
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
