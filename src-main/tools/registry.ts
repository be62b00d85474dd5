// All tools and their descriptions.
import { z } from 'zod';
import { createAskTool } from '#main/tools/ask.ts';
import type { Tools } from '#main/tools/check-call.ts';
import { createFeedTool } from '#main/tools/feed/feed.ts';
import { createFilesTool } from '#main/tools/files/files.ts';
import { createHttpTool } from '#main/tools/http/http.ts';
import { createMailTool } from '#main/tools/mail/mail.ts';
import { createNotifyTool, type Notifier } from '#main/tools/notify.ts';
import type { Runner } from '#main/runner/runner.ts';
import { createRunnerTool } from '#main/tools/runner/runner.ts';

export interface ToolOptions {
  readonly notifier: Notifier;
  /** The app's data folder, excluded from every grant. */
  readonly dataDir: string;
  /** Trusted certificates besides Node's own, as PEM. */
  readonly extraCertificates?: readonly string[] | undefined;
  /** Further folders of the app itself. */
  readonly excludedFolders?: readonly string[];
  /** When omitted, there are no scripts. */
  readonly runner?: Runner;
}

export function createTools(options: ToolOptions): Tools {
  const { notifier, dataDir, extraCertificates, excludedFolders = [], runner } = options;
  const tools = [
    createHttpTool({ extraCertificates }),
    createFilesTool([dataDir, ...excludedFolders]),
    createMailTool(),
    createFeedTool({ extraCertificates }),
    createNotifyTool(notifier),
    createAskTool(),
    ...(runner ? [createRunnerTool(runner)] : []),
  ];
  return Object.fromEntries(tools.map((tool) => [tool.namespace, tool]));
}

export interface MethodDescription {
  readonly name: string;
  readonly kind: 'read' | 'mutation';
  readonly summary: string;
  /** Whether a check exists, at least for some params. */
  readonly reconcile: boolean;
  /** JSON Schema. */
  readonly params: object;
}

export interface ToolDescription {
  readonly namespace: string;
  readonly grant: object;
  readonly methods: readonly MethodDescription[];
}

/** For the documentation and for the window. */
export function describeTools(tools: Tools): ToolDescription[] {
  return Object.values(tools).map(({ namespace, grant, methods }) => ({
    namespace,
    grant: schemaOf(grant),
    methods: Object.entries(methods).map(([name, method]) => ({
      name: `${namespace}.${name}`,
      kind: method.kind,
      summary: method.params.description ?? '',
      reconcile: method.kind === 'mutation' && method.reconcile !== undefined,
      params: schemaOf(method.params),
    })),
  }));
}

function schemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
