// Calls the files tool as the engine does, in a granted folder of the test.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { callMutation, callRead, reconcileMutation, witnessOf } from '#main/tools/call-tool.ts';
import { createFilesTool } from '#main/tools/files/files.ts';
import type { MutationOutcome, ReadOutcome, ReconcileOutcome, Sent } from '#main/tools/tool.ts';
import type { Json } from '#shared/json.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { testHost, type TestHost } from '#test/tools/call-host.ts';

export interface Files {
  /** The granted folder. */
  readonly folder: string;
  /** A folder next to it that is not granted. */
  readonly outside: string;
  /** A path in the granted folder. */
  at(...names: string[]): string;
  read(method: string, params: object): Promise<ReadOutcome>;
  mutate(method: string, params: object): Promise<MutationOutcome>;
  /** Looks before a call. */
  witness(method: string, params: object): Promise<Json | undefined>;
  reconcile(method: string, params: object, sent?: Partial<Sent>): Promise<ReconcileOutcome>;
}

/** `host`: its clock may differ from that of the file system. */
export function filesIn(
  grant: object = {},
  excludedFolders: readonly string[] = [],
  host: TestHost = testHost(),
): Files {
  const root = tempFolder();
  const [folder, outside] = [join(root, 'granted'), join(root, 'outside')];
  mkdirSync(folder);
  mkdirSync(outside);
  const tools = { files: createFilesTool(excludedFolders) };
  const call = (method: string, params: object) => ({
    namespace: 'files',
    method,
    params,
    grant: { folders: [folder], ...grant },
    effectId: 'effect-1',
  });
  return {
    folder,
    outside,
    at: (...names) => join(folder, ...names),
    read: (method, params) => callRead(tools, call(method, params), host),
    mutate: (method, params) => callMutation(tools, call(method, params), host),
    witness: (method, params) => witnessOf(tools, call(method, params), host),
    reconcile: (method, params, sent = {}) =>
      reconcileMutation(tools, { ...call(method, params), sentAt: Date.now(), ...sent }, host),
  };
}
