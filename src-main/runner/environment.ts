// The environment of a script: only the variables that its registry entry names.
import { JOB_MARK } from '#main/runner/process-tree.ts';
import type { ScriptSpec } from '#shared/runner/registry.ts';

/** Passed by default: what most programs need to find tools, home folder and locale. */
const DEFAULT_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'SystemRoot',
  'TEMP',
  'TMP',
  'USERPROFILE',
];

export async function environmentFor(
  jobId: string,
  { env }: ScriptSpec,
  secret: (name: string) => Promise<string>,
  host: Readonly<Record<string, string | undefined>> = process.env,
): Promise<NodeJS.ProcessEnv> {
  const passed = (env.pass ?? DEFAULT_VARIABLES).flatMap((name) => {
    const value = host[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const secrets = await Promise.all(
    // The masker learned the values when the secret store read them.
    Object.entries(env.secrets).map(
      async ([name, secretName]) => [name, await secret(secretName)] as const,
    ),
  );
  return { ...Object.fromEntries([...passed, ...secrets]), ...env.set, [JOB_MARK]: jobId };
}
