// Handlers of hooks, the addresses that accept webhooks on this device.
import { notFound } from '#main/api/not-found.ts';
import { randomBytes } from 'node:crypto';
import type { Handlers } from '#main/api/dispatch.ts';
import { requireTopic } from '#main/api/handlers/input-topic.ts';
import type { Engine } from '#main/engine/engine.ts';
import { HOOK_PREFIX } from '#main/inputs/hook-route.ts';
import type { InputsParts } from '#main/inputs/inputs.ts';
import type { Hook } from '#main/store/tables/hooks.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { HookAuth } from '#shared/inputs/hook.ts';
import type { HookView } from '#shared/api/inputs.ts';

type HookHandlers = Pick<Handlers, 'hooks.list' | 'hooks.create' | 'hooks.rotate' | 'hooks.remove'>;

export function createHookHandlers(engine: Engine, { hookSecrets }: InputsParts): HookHandlers {
  const { stores, store } = engine.context;
  return {
    'hooks.list': ({ workflowId }) => ({
      hooks: stores.hooks.list(workflowId).map((hook) => toHookView(engine, hook)),
    }),
    'hooks.create': async (request) => create(engine, hookSecrets, request),
    'hooks.rotate': async ({ hookId, overlapMs, secret: given }) => {
      assertSendable(requireHook(engine, hookId).auth, given);
      const secret = await hookSecrets.rotate(hookId, overlapMs > 0, given);
      stores.hooks.rotated(hookId, overlapMs > 0 ? store.clock.now() + overlapMs : null);
      return { hook: toHookView(engine, requireHook(engine, hookId)), secret };
    },
    'hooks.remove': async ({ hookId }) => {
      requireHook(engine, hookId);
      stores.hooks.remove(hookId);
      await hookSecrets.remove(hookId);
      return {};
    },
  };
}

/** Stores the secret first, because a hook without one rejects every delivery. */
async function create(
  engine: Engine,
  secrets: InputsParts['hookSecrets'],
  request: CallArguments<'hooks.create'>,
): Promise<CallOutput<'hooks.create'>> {
  const { stores } = engine.context;
  const { requestId, workflowId, name, auth, dedup, redactPaths } = request;
  const topic = requireTopic(engine, workflowId, request.topic);
  assertSendable(auth, request.secret);
  if (stores.hooks.ofRequest(requestId)) {
    throw new ApiError({
      type: 'conflict',
      message:
        'This request already created its hook, and the secret is shown only once. Nothing was created. Rotate the secret to get a new one.',
    });
  }
  // Hex, because an argument of a command must not start with a dash.
  const id = randomBytes(16).toString('hex');
  const secret = await secrets.make(id, request.secret);
  const hook = { id, name, workflowId, topic, auth, dedup, redactPaths };
  return { hook: toHookView(engine, stores.hooks.add(requestId, hook)), secret };
}

/** A bearer token is sent in a header, which cannot contain white space. */
function assertSendable(auth: HookAuth, secret: string | undefined): void {
  if (auth.kind !== 'bearer' || secret === undefined || /^[\x21-\x7e]+$/.test(secret)) return;
  throw new ApiError({
    type: 'invalid_input',
    message:
      'A bearer token must consist of visible ASCII characters without white space. Nothing was changed. Omit it to generate one.',
  });
}

function requireHook(engine: Engine, id: string): Hook {
  const hook = engine.context.stores.hooks.get(id);
  if (hook) return hook;
  throw notFound('hook', id);
}

function toHookView(engine: Engine, hook: Hook): HookView {
  const { id, workflowId, redactPaths } = hook;
  const workflow = engine.context.stores.workflows.get(workflowId);
  return {
    ...hook,
    redactPaths: [...redactPaths],
    workflowName: workflow?.name ?? workflowId,
    path: `${HOOK_PREFIX}${id}`,
  };
}
