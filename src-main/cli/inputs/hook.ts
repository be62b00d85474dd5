// `holdfast hook create|list|rotate|remove`: the doors for webhooks.
import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { readHostRecord } from '#main/data-folder/folder-lock.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { HookView } from '#shared/api/inputs.ts';
import { parseDuration } from '#shared/authoring/duration.ts';
import { dedupRuleSchema, type DedupRule } from '#shared/inputs/dedup-key.ts';

const AUTHS = ['bearer', 'github', 'stripe'] as const;

interface CreateOptions extends DataOption {
  readonly name?: string;
  readonly topic?: string;
  readonly auth: (typeof AUTHS)[number];
  readonly dedup: DedupRule;
  readonly redact: string[];
  readonly json?: boolean;
}

export function hookCommand(): Command {
  return new Command('hook')
    .description('let others send inputs to a workflow by webhook')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(removeCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('make a hook; its secret is shown once')
    .argument('<workflow>', WORKFLOW)
    .option('--name <name>', 'what it is called; the name of the workflow by default')
    .option('--topic <topic>', 'where its inputs go, where that is not plain')
    .addOption(
      new Option('--auth <way>', 'how a sender proves itself').choices(AUTHS).default('bearer'),
    )
    .option(
      '--dedup <rule>',
      'what makes two deliveries one: "body", "header:NAME" or "path:a.b"',
      parseDedup,
      { by: 'body' } as DedupRule,
    )
    .option('--redact <path>', 'take this out of every input; may be given again', collect, [])
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
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
          `The hook "${hook.name}" takes inputs for "${hook.workflowName}" (${hook.topic}).`,
        );
        printSecret(hook, secret, address);
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('show the hooks of this device')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { hooks } = await withHost(options, (host) => host.call('hooks.list', {}));
      if (options.json) return printJson({ hooks });
      printTable(
        ['hook', 'name', 'workflow', 'topic', 'auth', 'dedup', 'inputs', 'last'],
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
        'There are no hooks. Make one with "holdfast hook create WORKFLOW".',
      );
    });
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('give a hook a new secret')
    .argument('<hook>', 'its id or name, as "holdfast hook list" shows it')
    .option(
      '--overlap <time>',
      'how long the old one is taken, too: 30s, 5m, 1h, 2d',
      parseOverlap,
      0,
    )
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
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
            ? `"${hook.name}" has a new secret; the old one is not taken any more.`
            : `"${hook.name}" has a new secret; the old one is taken until ${showTime(hook.previousUntil)}.`,
        );
        printSecret(hook, secret, addressOf(hook, options));
      }),
    );
}

function removeCommand(): Command {
  return new Command('remove')
    .description('close a hook; what came by it stays')
    .argument('<hook>', 'its id or name')
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id: hookId, name } = await findHook(host, text);
        await host.call('hooks.remove', { hookId });
        printLine(`The hook "${name}" is closed. What came by it stays.`);
      }),
    );
}

async function findHook(host: HostCalls, text: string): Promise<HookView> {
  const { hooks } = await host.call('hooks.list', {});
  const [only, another] = hooks.filter(({ id, name }) => id === text || name === text);
  if (only && !another) return only;
  throw new ApiError({
    type: 'not_found',
    message: only
      ? `More than one hook is called "${text}". Say it by its id.`
      : `There is no hook "${text}". See which there are with "holdfast hook list".`,
  });
}

function printSecret(hook: HookView, secret: string, address: string): void {
  printLine(`Address: ${address}`);
  printLine(`Secret (${hook.auth.kind}), shown this once: ${secret}`);
}

/** With the host that runs now; its port may be another one tomorrow unless it is given. */
function addressOf(hook: HookView, options: DataOption): string {
  const url = readHostRecord(chooseDataDir(options.data))?.url;
  return url === undefined ? `${hook.path} below the address of the host` : `${url}${hook.path}`;
}

function parseDedup(text: string): DedupRule {
  const [by, rest] = text.split(/:(.*)/s);
  const rule = by === 'header' ? { by, name: rest } : by === 'path' ? { by, path: rest } : { by };
  const parsed = dedupRuleSchema.safeParse(rule);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It is "body", "header:NAME" or "path:a.b".');
}

function parseOverlap(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError('A time is like 30s, 5m, 1h or 2d.');
  }
}

function collect(path: string, paths: string[]): string[] {
  return [...paths, path];
}
