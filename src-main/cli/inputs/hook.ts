// `holdfast hook create|list|rotate|remove`
import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { readHostRecord } from '#main/data-folder/folder-lock.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { HookView } from '#shared/api/inputs.ts';
import { parseDuration } from '#shared/authoring/duration.ts';
import { dedupRuleSchema, type DedupRule } from '#shared/inputs/dedup-key.ts';

const AUTH_KINDS = ['bearer', 'github', 'stripe'] as const;

const HOOK_HELP = 'Id or name shown by "holdfast hook list"';

interface CreateOptions extends DataOption {
  readonly name?: string;
  readonly topic?: string;
  readonly auth: (typeof AUTH_KINDS)[number];
  readonly dedup: DedupRule;
  readonly redact: string[];
  readonly json?: boolean;
}

export function hookCommand(): Command {
  return new Command('hook')
    .description('Manage hooks, the addresses that accept webhooks')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(removeCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a hook; its secret is shown once')
    .argument('<workflow>', WORKFLOW_HELP)
    .option('--name <name>', 'Name of the hook (default: the name of the workflow)')
    .option('--topic <topic>', 'Topic for the inputs; needed if there is more than one')
    .addOption(
      new Option('--auth <kind>', 'How senders authenticate').choices(AUTH_KINDS).default('bearer'),
    )
    .addOption(
      new Option(
        '--dedup <rule>',
        'How duplicate deliveries are detected: "body", "header:NAME" or "path:a.b"',
      )
        .argParser(parseDedup)
        .default({ by: 'body' } satisfies DedupRule, '"body"'),
    )
    .addOption(
      new Option('--redact <path>', 'Path to remove from every input; repeatable')
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((workflow: string, options: CreateOptions) =>
      withHost(options, async (host) => {
        const { id: workflowId, name } = await findWorkflow(host, workflow);
        const { hook, secret } = await host.call('hooks.create', {
          requestId: randomUUID(),
          workflowId,
          name: options.name ?? name,
          auth: { kind: options.auth },
          dedup: options.dedup,
          redactPaths: options.redact,
          ...(options.topic === undefined ? {} : { topic: options.topic }),
        });
        const address = addressOf(hook, options);
        if (options.json) return printJson({ hook, secret, address });
        printLine(
          `Created the hook "${hook.name}" for "${hook.workflowName}" (topic ${hook.topic}).`,
        );
        printSecret(hook, secret, address);
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List the hooks of this device')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { hooks } = await withHost(options, (host) => host.call('hooks.list', {}));
      if (options.json) return printJson({ hooks });
      printTable(
        ['hook', 'name', 'workflow', 'topic', 'auth', 'dedup', 'inputs', 'last input'],
        hooks.map((hook) => [
          hook.id,
          hook.name,
          hook.workflowName,
          hook.topic,
          hook.auth.kind,
          hook.dedup.by,
          String(hook.accepted),
          showTime(hook.lastAcceptedAt),
        ]),
        'No hooks yet. Create one with "holdfast hook create WORKFLOW".',
      );
    });
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('Replace the secret of a hook')
    .argument('<hook>', HOOK_HELP)
    .option(
      '--overlap <time>',
      'How long the old secret stays valid: 30s, 5m, 1h, 2d',
      parseOverlap,
      0,
    )
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((text: string, options: DataOption & { overlap: number; json?: boolean }) =>
      withHost(options, async (host) => {
        const { id: hookId } = await findHook(host, text);
        const { hook, secret } = await host.call('hooks.rotate', {
          hookId,
          overlapMs: options.overlap,
        });
        if (options.json) return printJson({ hook, secret });
        printLine(
          hook.previousUntil === null
            ? `Replaced the secret of "${hook.name}". The old one is no longer valid.`
            : `Replaced the secret of "${hook.name}". The old one is valid until ${showTime(hook.previousUntil)}.`,
        );
        printSecret(hook, secret, addressOf(hook, options));
      }),
    );
}

function removeCommand(): Command {
  return new Command('remove')
    .description('Remove a hook; its inputs stay')
    .argument('<hook>', HOOK_HELP)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id: hookId, name } = await findHook(host, text);
        await host.call('hooks.remove', { hookId });
        printLine(`Removed the hook "${name}". Its inputs stay.`);
      }),
    );
}

async function findHook(host: HostClient, text: string): Promise<HookView> {
  const { hooks } = await host.call('hooks.list', {});
  const [only, another] = hooks.filter(({ id, name }) => id === text || name === text);
  if (only && !another) return only;
  throw new ApiError({
    type: 'not_found',
    message: only
      ? `More than one hook is called "${text}". Nothing was changed. Use the id.`
      : `There is no hook "${text}". Nothing was changed. See "holdfast hook list".`,
  });
}

function printSecret(hook: HookView, secret: string, address: string): void {
  printLine(`Address: ${address}`);
  printLine(`Secret (${hook.auth.kind}), shown only once: ${secret}`);
}

/** Address on the running host. Its port changes with each start unless --port is given. */
function addressOf(hook: HookView, options: DataOption): string {
  const url = readHostRecord(chooseDataDir(options.data))?.url;
  return url === undefined ? `${hook.path} on the address of the host` : `${url}${hook.path}`;
}

function parseDedup(text: string): DedupRule {
  const [by, rest] = text.split(/:(.*)/s);
  const rule = by === 'header' ? { by, name: rest } : by === 'path' ? { by, path: rest } : { by };
  const parsed = dedupRuleSchema.safeParse(rule);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('Must be "body", "header:NAME" or "path:a.b".');
}

function parseOverlap(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError('Must be a duration like 30s, 5m, 1h or 2d.');
  }
}

function collect(path: string, paths: string[]): string[] {
  return [...paths, path];
}
